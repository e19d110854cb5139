import type { BindingKind } from '@connector/kernel/document-binding';
import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { pckDefinition, pckGeneration, pckInstallation } from '@connector/schema/packs/packs';
import type { DefinitionProof } from './definitions';

/** What names one definition of one generation, as a membership writes it. */
export interface WantedBinding {
  readonly kind: BindingKind;
  readonly ownerPack: string;
  readonly packInstallation: string;
  readonly packPayloadDigest: Digest;
  readonly businessKey: string;
  readonly definitionVersion: string;
}
export type AbsentCode = Extract<DefinitionProof, { readonly kind: 'absent' }>['code'];

/** One membership has at most 2,000 bindings, each of one generation and with one key. */
const GENERATIONS = readRows(
  pckGeneration,
  ['storage_id', 'owner_pack', 'payload_digest'],
  'WHERE payload_digest IN (:payload_digest) LIMIT 2000',
  'wanted',
);
const INSTALLATIONS = readRows(
  pckInstallation,
  ['owner_pack', 'pack_installation_id'],
  'WHERE organization_id = :organization_id AND owner_pack IN (:owner_pack) LIMIT 2000',
  'wanted',
);
const NAMES = readRows(
  pckDefinition,
  ['storage_id', 'kind', 'business_key', 'definition_version'],
  'WHERE storage_id IN (:storage_id) AND business_key IN (:business_key) LIMIT 100000',
  'wanted',
);

/** For each of them why `readExact` would find nothing, undefined where it would; three statements, whatever their number (cat:INT-12). */
export async function absentBindings(
  db: Db,
  organization: string,
  wanted: readonly WantedBinding[],
): Promise<readonly (AbsentCode | undefined)[]> {
  if (wanted.length === 0) return [];
  const generations = await db.read(GENERATIONS, { payload_digest: distinct(wanted.map((one) => one.packPayloadDigest)) });
  const byDigest = new Map(generations.map((row) => [row.payload_digest, row]));
  const packs = distinct(wanted.map((one) => one.ownerPack));
  const installations = await db.read(INSTALLATIONS, { organization_id: organization, owner_pack: packs });
  const installed = new Map(installations.map((row) => [row.owner_pack, row.pack_installation_id]));
  const named = await namesOf(
    db,
    generations.map((row) => row.storage_id),
    wanted,
  );
  return wanted.map((one) => {
    const generation = byDigest.get(one.packPayloadDigest);
    if (generation?.owner_pack !== one.ownerPack) return 'GENERATION_ABSENT';
    if (installed.get(one.ownerPack) !== one.packInstallation) return 'INSTALLATION_ABSENT';
    return named.has(nameOf(generation.storage_id, one.kind, one.businessKey, one.definitionVersion)) ? undefined : 'DEFINITION_ABSENT';
  });
}

async function namesOf(db: Db, storageIds: readonly string[], wanted: readonly WantedBinding[]): Promise<ReadonlySet<string>> {
  if (storageIds.length === 0) return new Set();
  const rows = await db.read(NAMES, { storage_id: storageIds, business_key: distinct(wanted.map((one) => one.businessKey)) });
  return new Set(rows.map((row) => nameOf(row.storage_id, row.kind, row.business_key, row.definition_version)));
}

const nameOf = (...parts: readonly string[]): string => JSON.stringify(parts);
const distinct = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];
