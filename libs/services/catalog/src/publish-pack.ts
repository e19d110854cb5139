import type { Digest } from '@connector/kernel/digest';
import type { BindingKind } from '@connector/kernel/document-binding';
import { invariant } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import { buildPack } from '@connector/packs/engine/build-pack';
import type { DefinitionFault } from '@connector/packs/engine/definition-fault';
import { checkPack } from '@connector/packs/engine/publish-check';
import { registerPack, type PackPlace, type RegisteredPack, type RegisterPack } from '@connector/packs/transitions/register-pack.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';

/** What a binding of a view says of a definition, beside where the pack stands. */
export interface PublishedDefinition {
  readonly kind: BindingKind;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly canonicalDefinitionDigest: Digest;
}

export type PublishedPack =
  | ({
      readonly kind: 'registered' | 'already-registered';
      readonly ownerPack: string;
      readonly packVersion: string;
      readonly definitions: readonly PublishedDefinition[];
    } & PackPlace)
  | { readonly kind: 'conflicting-version'; readonly storedDigest: Digest; readonly givenDigest: Digest }
  /** By an activation, which relies on what the organization has. */
  | Extract<RegisteredPack, { readonly kind: 'barrier-held' }>
  /** Pointers are into the pack. */
  | { readonly kind: 'faulty'; readonly faults: readonly DefinitionFault[] };

type PackAuthor = Pick<RegisterPack, 'caller' | 'organization'>;

/** Checks a pack as its author wrote it, makes its canonical bytes, and registers them (decisions 12.1). */
export async function publishPack(db: Db, { caller, organization }: PackAuthor, pack: Json): Promise<PublishedPack> {
  const checked = checkPack({ pack });
  if (!checked.ok) return { kind: 'faulty', faults: checked.faults };
  const { manifest, definitions } = buildPack(checked);
  const answer = await retrying(ANSWER_SOON, () => registerPack(db, { caller, organization, manifest: manifest.bytes, definitions }));
  if (answer.kind === 'conflicting-version' || answer.kind === 'barrier-held') return answer;
  // The manifest was made from these very definitions.
  invariant(answer.kind !== 'definitions-differ', 'HOUSE:catalog:ManifestWrong', `${checked.ownerPack} ${checked.packVersion}`);
  const published = definitions.map(({ kind, businessKey, definitionVersion, digest }) => ({
    kind,
    businessKey,
    definitionVersion,
    canonicalDefinitionDigest: digest,
  }));
  return { ...answer, ownerPack: checked.ownerPack, packVersion: checked.packVersion, definitions: published };
}
