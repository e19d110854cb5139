import type { DocumentBytes } from '@connector/kernel/document';
import { buildBindingDefinition, packManifest } from '../model/documents';
import type { CheckedDefinition, PackCheck } from './publish-check';

export interface BuiltPack {
  readonly ownerPack: string;
  readonly packVersion: string;
  /** Its digest is the payload digest: what the generation is. */
  readonly manifest: DocumentBytes;
  readonly definitions: readonly (CheckedDefinition & DocumentBytes)[];
}

/** The canonical bytes of a pack and of everything in it. The same pack gives the same bytes, wherever it is built. */
export function buildPack({ ownerPack, packVersion, definitions }: Extract<PackCheck, { readonly ok: true }>): BuiltPack {
  const built = definitions.map((one) => ({ ...one, ...buildBindingDefinition(one.kind, one.definition) }));
  const manifest = packManifest.build({
    schema_version: 'nexuscrm.connector-pack/v1',
    owner_pack: ownerPack,
    pack_version: packVersion,
    definitions: built.map(({ kind, businessKey, definitionVersion, digest }) => ({
      kind,
      business_key: businessKey,
      definition_version: definitionVersion,
      canonical_definition_digest: digest,
    })),
    extensions: [],
  });
  return { ownerPack, packVersion, manifest, definitions: built };
}
