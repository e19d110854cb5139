import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { parsePackBytes } from '@connector/packs/engine/pack-bytes';
import type { DocumentFault } from '@connector/kernel/document-fault';
import {
  listGenerations,
  type ListedGeneration,
  parseGenerationLabel,
  showGeneration,
  type ShownGeneration,
} from '@connector/packs/reads/generations';
import { readEpochsOf } from '@connector/packs/reads/pins';
import type { Db } from '@connector/platform/db/db';
import { BodyFault, type FieldFault } from '@connector/platform/host/problem';
import type { PublishPackBody } from './bodies';
import { heldOff } from './catalog-refusals';
import type { OwnerAnswer, OwnerClient } from './owner-client';
import { RowProblem } from './row-problem';

/** Pack generations as people see and publish them. Reading is here; what makes a generation is the registry's, in the catalog's process. */
export class Packs {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  async list(limit: number, after: string | undefined) {
    const { rows, next } = await listGenerations(this.db, limit, after === undefined ? undefined : parseGenerationLabel(after));
    return { rows: rows.map(rowOf), next };
  }

  async get(text: string) {
    const shown = await showGeneration(this.db, text);
    if (shown === undefined) throw noGeneration(text);
    return { ...rowOf(shown), ...contentOf(shown), pinned_by: await readEpochsOf(this.db, shown.storageId) };
  }

  /** The same bytes again are the same generation, so a request whose answer was lost is sent again as it is. */
  async publish({ organization, pack_base64: base64, by }: PublishPackBody) {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64') !== base64)
      throw new BodyFault([{ pointer: '/pack_base64', detail: 'pack_base64 must be canonical base64' }]);
    const parsed = parsePackBytes(bytes);
    if (!parsed.ok) throw faulty(parsed.faults.map(fieldOf), 0);
    const answer = await this.catalog.post('/v1/pack-generations', { organization, pack: parsed.value }, by);
    if (answer.kind === 'registered' || answer.kind === 'already-registered') return publishedOf(answer.kind, answer.body);
    throw refusalOf(answer);
  }
}

function rowOf({ ownerPack, packVersion, payloadDigest, storageId, registeredAt }: ListedGeneration) {
  return {
    ...{ owner_pack: ownerPack, pack_version: packVersion, payload_digest: payloadDigest },
    ...{ storage_id: storageId, registered_at: registeredAt },
  };
}

function contentOf({ manifest, installations }: ShownGeneration) {
  return {
    manifest,
    installations: installations.map((one) => ({ organization: one.organization, pack_installation_id: one.packInstallationId })),
  };
}

function noGeneration(text: string): RowProblem {
  const detail = `${text}: No such pack generation is registered.`;
  return new RowProblem('NotFound', { detail, nextSteps: ['connector packs list'] });
}

function publishedOf(kind: 'registered' | 'already-registered', body: ReadonlyMap<string, unknown>) {
  const text = (name: string): string => {
    const value = body.get(name);
    invariant(typeof value === 'string', 'HOUSE:operator:AnswerIncomplete', `the registry answered ${kind} without ${name}`);
    return value;
  };
  return {
    kind,
    ...{ owner_pack: text('owner_pack'), pack_version: text('pack_version'), payload_digest: text('payload_digest') as Digest },
    ...{ storage_id: text('storage_id'), pack_installation_id: text('pack_installation_id') },
  };
}

function refusalOf({ status, kind, body }: OwnerAnswer): RowProblem {
  if (kind === 'conflicting-version') {
    const detail = 'This version of the pack is registered with other bytes. Nothing was written.';
    const expected = { payload_digest: body.get('stored_digest') };
    const actual = { payload_digest: body.get('given_digest') };
    return new RowProblem('PackVersionTaken', { detail, expected, actual, nextSteps: ['connector packs list'] });
  }
  if (kind === 'barrier-held') return heldOff(body);
  const errors = body.get('errors');
  invariant(status === 422 && Array.isArray(errors), 'HOUSE:operator:AnswerUnknown', `the registry answered ${status} ${kind}`);
  return faulty(errors, Number(body.get('errors_more') ?? 0));
}

function faulty(errors: readonly FieldFault[], errorsMore: number): RowProblem {
  const detail = `The pack has ${errors.length + errorsMore} faults. Nothing was written.`;
  return new RowProblem('PackFaulty', { detail, errors, errorsMore, nextSteps: ['connector packs validate <pack>'] });
}

/** As the registry places it: under the member that has the pack. */
function fieldOf(fault: DocumentFault): FieldFault {
  const { pointer, code, expected, found } = fault;
  return { ...fault, pointer: `/pack${pointer}`, detail: `${code}: expected ${expected}, found ${found}` };
}
