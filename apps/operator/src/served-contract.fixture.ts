import type { RunningService } from '@connector/platform/host/service';
import type { Route } from '@connector/services/operator/src/api/operation';
import { callsTo } from '@connector/testing/calls';
import { openApiContract, type OpenApiContract, type OpenApiDocument } from '@connector/testing/openapi-contract';

/** The document as this service serves it, to hold its answers against. */
export async function servedContract(service: RunningService): Promise<OpenApiContract> {
  const { body } = await callsTo(service, 'cli').get('/v1/openapi.json');
  return openApiContract(body as unknown as OpenApiDocument);
}

export const idsOf = (routes: Readonly<Record<string, Route<unknown>>>): readonly string[] =>
  Object.values(routes).flatMap(({ operations }) => operations.map(({ id }) => id));
