import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '@connector/kernel/digest';
import type { JsonObject } from '@connector/kernel/jcs';

/** The checked-in vectors. They were computed by two other programs and are never written by ours. */
export interface ProfiledVector {
  readonly name: string;
  readonly purpose: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly preimage_length: number;
  readonly preimage_hex: string;
  readonly digest: Digest;
}
export interface OwnerVector {
  readonly name: string;
  readonly separator: string;
  readonly kind?: string;
  readonly document: JsonObject;
  readonly jcs_utf8: string;
  readonly digest: Digest;
}
interface ConnectorVectors {
  readonly profiled: readonly ProfiledVector[];
  readonly owner: readonly OwnerVector[];
}
interface DigestVector {
  readonly preimage_length: number;
  readonly digest: Digest;
}
interface VectorBinding {
  readonly kind: string;
  readonly owner_pack: string;
  readonly pack_installation_id: string;
  readonly pack_payload_digest: Digest;
  readonly business_key: string;
  readonly definition_version: string;
  readonly credential_refs: readonly string[];
  readonly runtime_command?: { readonly definition_id: string; readonly definition_version: string };
}
interface VectorLineage {
  readonly lineage_id: string;
  readonly catalog_revision: string;
  readonly activation_epoch: string;
}
export interface ViewVectors {
  readonly source_snapshot: JsonObject;
  readonly source_snapshot_digest: DigestVector;
  readonly view: {
    readonly organization_id: string;
    readonly app_installation_id: string;
    readonly authorized_workload_id: string;
    readonly lineage: VectorLineage;
    readonly bindings: readonly VectorBinding[];
  };
  readonly view_digest: DigestVector;
  readonly receipt: {
    readonly receipt_protocol: string;
    readonly lineage: VectorLineage;
    readonly security_epoch: string;
    readonly capability_version: string;
  };
  readonly receipt_bytes_utf8: string;
  readonly receipt_digest: DigestVector;
  readonly external_ref_order: {
    readonly canonical: readonly Readonly<Record<string, string>>[];
    readonly literal_concatenation_would_give: readonly Readonly<Record<string, string>>[];
  };
}

function load<T>(file: string): T {
  return JSON.parse(readFileSync(join(__dirname, file), 'utf8')) as T;
}

export const connectorVectors = load<ConnectorVectors>('connector-digests.json');
export const viewVectors = load<ViewVectors>('binding-view.json');

function named<T extends { readonly name: string }>(vectors: readonly T[], name: string): T {
  const found = vectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector is named ${name}`);
  return found;
}
export function profiledVector(name: string): ProfiledVector {
  return named(connectorVectors.profiled, name);
}
export function ownerVector(name: string): OwnerVector {
  return named(connectorVectors.owner, name);
}
