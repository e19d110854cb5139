import { InputFault } from '@connector/kernel/faults';
import { generationsOf, type KeptMembership, readKeptMembership } from '@connector/services/kept/src/kept-folder';

/** What a reset leaves of what was published and set here. What cannot be read is left too: it is somebody's work. */
export type Stays =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'kept'; readonly membership: KeptMembership }
  | { readonly kind: 'unreadable'; readonly why: string };
export const NOTHING: Stays = { kind: 'nothing' };

/** A pack that was published and never set is in no beginning: nothing stays of it. */
export async function staysOf(folder: string): Promise<Stays> {
  try {
    const membership = await readKeptMembership(folder);
    return membership === undefined ? NOTHING : { kind: 'kept', membership };
  } catch (thrown) {
    if (thrown instanceof InputFault) return { kind: 'unreadable', why: thrown.message };
    throw thrown;
  }
}

export function staysLines(stays: Stays): readonly string[] {
  if (stays.kind === 'nothing') return [];
  if (stays.kind === 'unreadable')
    return [`  Kept     ${stays.why}`, '  Do       connector dev reset --all wipes this too: npm start cannot begin with it'];
  const { organization, workload, bindings } = stays.membership;
  const packs = generationsOf(bindings);
  return [
    `  Kept     what was published and set: npm start begins with ${workload} of ${organization}, ${bindings.length} bindings`,
    ...packs.map(({ owner_pack: pack, pack_payload_digest: digest }) => `           ${pack} ${digest}`),
    '           connector dev reset --all wipes this too: npm start then begins with the packs that ship',
  ];
}

export function staysDocument(stays: Stays): object {
  if (stays.kind === 'nothing') return { kept: null };
  if (stays.kind === 'unreadable') return { kept: { unreadable: stays.why } };
  const { organization, workload, bindings } = stays.membership;
  return { kept: { organization, workload, packs: generationsOf(bindings) } };
}
