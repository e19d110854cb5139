import type { LegacyWorld } from '@connector/catalog/contract/legacy-packs';
import { conversionKey } from '@connector/catalog/model/conversion/journal';
import { failed } from '@connector/catalog/model/installation/asked';
import type { InstallationState } from '@connector/catalog/model/installation/installation';
import type { RequestKey } from '@connector/catalog/model/request';
import { type Conversion, readConversion, readDecision } from '@connector/catalog/reads/conversion';
import { readInstallation } from '@connector/catalog/reads/installation';
import { readOpenPublication } from '@connector/catalog/reads/publication';
import { failConversion } from '@connector/catalog/transitions/conversion/fail-conversion.tx';
import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { type DocumentFault, type DocumentFaults, faultsListed } from '@connector/kernel/document-fault';
import { invariant, RetryableFault } from '@connector/kernel/faults';
import { OperationId } from '@connector/kernel/ids';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { continuePublication } from '../installations/continue-publication';
import { answered, type PreparationParts } from '../installations/gather';
import { type ConvertPack, type Proof, prove } from './prove';

export interface ConversionParts {
  readonly preparation: PreparationParts;
  /** undefined where this deployment never had a legacy world. */
  readonly legacy: LegacyWorld | undefined;
}
export interface NoLegacyWorld {
  readonly kind: 'no-legacy-world';
}
export type Converted =
  | { readonly kind: 'converted'; readonly installation: string; readonly state: InstallationState }
  /** Nothing is changed but the journal. */
  | ({ readonly kind: 'failed'; readonly attemptId: OperationId } & DocumentFaults)
  | NoLegacyWorld;

const TRIES_MAX = 5;
/** Somebody else decided meanwhile: what stands now is looked at again. */
const AGAIN = Symbol('again');
type Try = Converted | typeof AGAIN;

interface Run {
  readonly parts: PreparationParts;
  readonly legacy: LegacyWorld;
  readonly input: ConvertPack;
  readonly request: RequestKey;
}

/**
 * Takes a conversion from wherever it stands to an installation that serves (cat:CONV-19). Proven first without touching anything; then the source
 * is held, and proven again as it is held. The commit that opens the installation is the success; it is named by the hold, and so is the
 * failure that gives the hold up: whichever comes first stands, so that no source is let go under a conversion that succeeds. Then the source is sealed and
 * the publication goes its ordinary way. RetryableFault where an owner does not answer: the same asking again goes on.
 */
export async function convertPack(
  { preparation: parts, legacy }: ConversionParts,
  input: ConvertPack,
  request: RequestKey,
): Promise<Converted> {
  if (legacy === undefined) return { kind: 'no-legacy-world' };
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const done = await tryOnce({ parts, legacy, input, request });
    if (done !== AGAIN) return done;
  }
  throw new RetryableFault('HOUSE:catalog:ConversionRaced', 'others kept changing what was to be converted');
}

async function tryOnce(run: Run): Promise<Try> {
  const { parts, legacy, input } = run;
  const standing = await readConversion(parts.db, input.organization);
  if (standing !== undefined) {
    const same = conversionKey(standing.key) === conversionKey(input);
    return same ? goOn(parts, legacy, standing) : fail(run, OperationId.mint(), conflictOf(standing));
  }
  const proof = await prove(parts, legacy, input);
  if (proof.kind === 'faulty') return fail(run, OperationId.mint(), proof.faults);
  const held = answered('legacy', await legacy.packs.hold(input, input.appliedPayloadHash, OperationId.mint()));
  if (held.kind === 'moved') return AGAIN;
  if ((await readDecision(parts.db, input.organization, held.hold)) !== 'failed') return commit(run, held.hold);
  answered('legacy', await legacy.packs.release(input, held.hold));
  return AGAIN;
}

async function commit(run: Run, hold: OperationId): Promise<Try> {
  const { parts, legacy, input, request } = run;
  const proof = await prove(parts, legacy, input);
  if (proof.kind === 'faulty') return giveUp(run, hold, proof.faults);
  const opened = await open(run, hold, proof);
  if (opened.kind === 'conversion-stands' || opened.kind === 'revision-moved') return AGAIN;
  if (opened.kind === 'unproven') return giveUp(run, hold, opened.faults);
  if (opened.kind !== 'opened') return giveUp(run, hold, [failed('CONV-16', '/app_release_digest', 'NOT_OPENED', 'a place', opened.kind)]);
  const standing = await readConversion(parts.db, input.organization);
  invariant(standing?.installation === opened.installation, 'HOUSE:catalog:RowVanished', `${request.key} opened what its journal has not`);
  return goOn(parts, legacy, standing);
}

function open(
  { parts, input, request }: Run,
  hold: OperationId,
  { entry, release, gathered }: Extract<Proof, { readonly kind: 'proven' }>,
) {
  const { organization, packInstallId, appliedPayloadHash, appReleaseDigest, asked } = input;
  const key = { organization, packInstallId, appliedPayloadHash, appReleaseDigest };
  const conversion = { key, attemptId: hold, entry };
  const commandId = OperationId.mint();
  const publication = { organization, existing: null, asked, release, gathered, conversion, commandId };
  return retrying(ANSWER_SOON, () => openPublication(parts.db, publication, request));
}

/** The failure first: after it nobody converts under this hold, and only then the source is let go. */
async function giveUp(run: Run, hold: OperationId, faults: readonly DocumentFault[]): Promise<Try> {
  const done = await fail(run, hold, faults);
  if (done !== AGAIN) answered('legacy', await run.legacy.packs.release(run.input, hold));
  return done;
}

async function fail({ parts, input, request }: Run, attemptId: OperationId, faults: readonly DocumentFault[]): Promise<Try> {
  const failure = { key: input, attemptId, faults, caller: request.caller };
  const { kind } = await retrying(ANSWER_SOON, () => failConversion(parts.db, failure));
  return kind === 'converted' ? AGAIN : { kind: 'failed', attemptId, ...faultsListed(faults) };
}

/** What is left to do after the commit: each part may have been done before. */
async function goOn(parts: PreparationParts, legacy: LegacyWorld, { key, attemptId, installation }: Conversion): Promise<Converted> {
  const { organization } = key;
  answered('legacy', await legacy.packs.seal(key, attemptId));
  const open = await readOpenPublication(parts.db, organization);
  if (open?.installation === installation) await continuePublication(parts, { organization, ...open });
  const found = await readInstallation(parts.db, organization, installation);
  invariant(found.kind === 'found', 'HOUSE:catalog:RowVanished', `${installation} was converted to and is not there`);
  return { kind: 'converted', installation, state: found.state };
}

/** One logical migration has one source, one incarnation of it and one target (cat:CONV-10, cat:A-38). */
function conflictOf({ key: { packInstallId, appliedPayloadHash, appReleaseDigest } }: Conversion): readonly DocumentFault[] {
  const stands = `${packInstallId} at ${appliedPayloadHash} converted to ${appReleaseDigest}`;
  return [failed('CONV-10', '', 'CONVERSION_STANDS', stands, 'another conversion')];
}
