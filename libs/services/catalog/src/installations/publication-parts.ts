import type { RuntimeSecurity } from '@connector/catalog/contract/runtime-security';
import type { ComponentNeed, SchemaReadiness } from '@connector/catalog/contract/schema-readiness';
import type { MetadataBundle } from '@connector/catalog/model/bundle';
import type { Db } from '@connector/platform/db/db';
import type { Log } from '@connector/platform/telemetry/log';

/** What a publication is carried by. */
export interface PublicationParts {
  readonly db: Db;
  readonly security: RuntimeSecurity;
  readonly schema: SchemaReadiness;
  readonly log: Log;
}

/** Each kind and format once. */
export function needsOf({ components }: MetadataBundle): readonly ComponentNeed[] {
  const needs = components.map(({ component_kind: componentKind, component_format_version: formatVersion }) => ({
    componentKind,
    formatVersion,
  }));
  return [...new Map(needs.map((need) => [`${need.componentKind} ${need.formatVersion}`, need])).values()];
}
