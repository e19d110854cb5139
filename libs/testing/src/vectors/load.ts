import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '@connector/kernel/digest';
import type { Json, JsonObject } from '@connector/kernel/jcs';

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

/** A digest with the bytes that it is of, as text. */
export interface AppDigestVector {
  readonly preimage_utf8: string;
  readonly preimage_length: number;
  readonly preimage_hex?: string;
  readonly digest: Digest;
}
interface AppComponentVector {
  readonly behavior_jcs_utf8: string;
  readonly behavior_length: number;
  readonly raw_blob_sha256: string;
  readonly component_id: AppDigestVector;
  readonly component_digest: AppDigestVector;
  readonly descriptor: JsonObject;
}
interface AppSlotVector {
  readonly behavior_jcs_utf8: string;
  readonly descriptor: JsonObject;
  readonly layout_bundle_slot_revision_digest: Digest;
}
interface AppReleaseDigests {
  readonly metadata_bundle_digest: Digest;
  readonly app_release_digest: Digest;
}
export interface AppVectors {
  readonly jcs_self_test: {
    readonly rfc8785_3_2_4_output_sha256: string;
    readonly rfc8785_3_2_4_output_length: number;
    readonly rfc8785_3_2_3_output_sha256: string;
  };
  readonly identifiers: { readonly app_id: string; readonly publisher_id: string; readonly local_component_key: string };
  readonly components: {
    readonly layout_a: AppComponentVector;
    readonly layout_b: AppComponentVector;
    readonly slot_v1: AppComponentVector & { readonly layout_bundle_slot_revision_digest: AppDigestVector };
  };
  readonly release_1_0_0: {
    readonly metadata_bundle: JsonObject;
    readonly metadata_bundle_digest: AppDigestVector;
    readonly app_manifest: JsonObject;
    readonly app_release_digest: AppDigestVector;
  };
  readonly slot_successors: {
    readonly slot_v2_a_to_b: AppSlotVector & { readonly release_1_1_0: AppReleaseDigests };
    readonly slot_v3_b_to_a: AppSlotVector & { readonly release_1_2_0: AppReleaseDigests };
    readonly fork_at_v1: { readonly descriptor: JsonObject; readonly layout_bundle_slot_revision_digest: Digest };
  };
  readonly ledger_after_1_0_0_1_1_0_1_2_0: {
    readonly reservation: JsonObject;
    readonly revisions: readonly {
      readonly definition_version: number;
      readonly revision_digest: Digest;
      readonly target_component_id: Digest;
      readonly previous_target_component_id: Digest | null;
    }[];
    readonly head: { readonly head_definition_version: number; readonly head_revision_digest: Digest };
    readonly release_versions: readonly { readonly app_release_digest: Digest; readonly definition_version: number }[];
  };
  readonly traps: Readonly<Record<string, Digest>>;
}

export type AppCaseOp =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove' | 'swap01' | 'dup0'; readonly path: string }
  | { readonly op: 'bytes'; readonly value: string };
export interface AppCase {
  readonly case: string;
  readonly on: 'manifest' | 'bundle' | 'slot_behavior' | 'slot_bytes';
  readonly ops: readonly AppCaseOp[];
  readonly expect: string;
}
export interface AppCases {
  readonly named_id_accept: readonly string[];
  readonly named_id_reject: readonly string[];
  readonly semver_order: readonly string[];
  readonly slot_ledger_sequences: readonly {
    readonly register: readonly string[];
    readonly expect: string;
    readonly release_1_3_0_app_release_digest?: Digest;
  }[];
  readonly cases: readonly AppCase[];
}

function load<T>(file: string): T {
  return JSON.parse(readFileSync(join(__dirname, file), 'utf8')) as T;
}

export const connectorVectors = load<ConnectorVectors>('connector-digests.json');
export const viewVectors = load<ViewVectors>('binding-view.json');
export const appVectors = load<AppVectors>('app-authority.json');
export const appCases = load<AppCases>('app-authority-cases.json');

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
