import { DefectFault, InputFault } from '@connector/kernel/faults';
import type { ServiceClient } from '@connector/platform/http/service-client';
import { type Kept, type KeptPack, keptDigests, readKept, readKeptPack } from '@connector/services/kept/src/kept-folder';
import type { Tell } from '../receipts';
import { expectKind, STEP_REFUSED, textOf } from './ask';
import { SCOPE } from './world';

const WITHOUT = 'To begin with the packs that ship, without what was kept:  npx connector dev reset --all';

/** What `packs publish` and `membership set` left for this beginning; undefined where nothing did. InputFault says what is wrong with it. */
export async function keptFor(dir: string): Promise<Kept | undefined> {
  const kept = await readKept(dir).catch((thrown: unknown) => {
    throw thrown instanceof InputFault ? notBegun(dir, thrown) : thrown;
  });
  if (kept === undefined || (kept.organization === SCOPE.organization && kept.workload === SCOPE.workload)) return kept;
  const found = `found that of ${kept.workload} of ${kept.organization}`;
  throw notBegun(
    dir,
    new InputFault('HOUSE:local:KeptForAnother', `expected the membership of ${SCOPE.workload} of ${SCOPE.organization}, ${found}`),
  );
}

/** A step that is refused to a beginning with what was kept is a matter of what was kept, not of the code. */
export function asKept(dir: string, kept: Kept | undefined, thrown: unknown): unknown {
  const refused = kept !== undefined && thrown instanceof DefectFault && thrown.code === STEP_REFUSED;
  return refused ? notBegun(dir, thrown) : thrown;
}

function notBegun(dir: string, { code, message }: InputFault | DefectFault): InputFault {
  return new InputFault(code, `It cannot begin with what is kept in ${dir}.   ${code}\n  ${message}\n  ${WITHOUT}`);
}

/** The kept generations registered, and the bindings under the ids that the registry gave their packs now. */
export async function keptBindings(catalog: ServiceClient, { packs, bindings }: Kept): Promise<readonly object[]> {
  const installed = new Map<string, string>();
  for (const [digest, { source }] of packs) {
    const body = { organization: SCOPE.organization, pack: source };
    const { body: answer } = await expectKind(catalog, '/v1/pack-generations', body, ['registered', 'already-registered']);
    installed.set(digest, textOf(answer, 'pack_installation_id'));
  }
  return bindings.map((binding) => ({ ...binding, pack_installation_id: installed.get(binding.pack_payload_digest) }));
}

/** Those that can be read: an epoch that serves goes on whatever became of a file, and what it lacks is told. */
export async function readableKept(dir: string, tell: Tell): Promise<readonly KeptPack[]> {
  const found: KeptPack[] = [];
  const told = (thrown: unknown): void => {
    if (!(thrown instanceof InputFault)) throw thrown;
    tell(`${thrown.message}: calls to a provider that only it names are refused`);
  };
  const digests = await keptDigests(dir).catch((thrown: unknown) => {
    told(thrown);
    return [];
  });
  for (const digest of digests) await readKeptPack(dir, digest).then((pack) => void found.push(pack), told);
  return found;
}
