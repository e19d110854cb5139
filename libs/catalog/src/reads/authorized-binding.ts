import type { BindingKind } from '@connector/kernel/document-binding';
import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catAuthorizedBinding } from '@connector/schema/catalog/membership';

/** catalog.md B.2: everything that names one binding of one workload, with the payload that it was authorized for. */
export interface AuthorizedBinding {
  readonly organization: string;
  readonly installation: string;
  readonly workload: string;
  readonly kind: BindingKind;
  readonly ownerPack: string;
  readonly packInstallation: string;
  readonly packPayloadDigest: Digest;
  readonly businessKey: string;
  readonly definitionVersion: string;
}

const EVER = readRows(
  catAuthorizedBinding,
  ['catalog_revision'],
  `WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND authorized_workload_id = :authorized_workload_id
     AND owner_pack = :owner_pack AND pack_installation_id = :pack_installation_id AND pack_payload_digest = :pack_payload_digest
     AND kind = :kind AND business_key = :business_key AND definition_version = :definition_version LIMIT 1`,
);

/** Whether any membership ever authorized it; that one moved on takes nothing away (decisions 12.6, cat:INT-13). */
export async function wasAuthorized(db: Db, binding: AuthorizedBinding): Promise<boolean> {
  const row = await db.readOne(EVER, {
    organization_id: binding.organization,
    app_installation_id: binding.installation,
    authorized_workload_id: binding.workload,
    owner_pack: binding.ownerPack,
    pack_installation_id: binding.packInstallation,
    pack_payload_digest: binding.packPayloadDigest,
    kind: binding.kind,
    business_key: binding.businessKey,
    definition_version: binding.definitionVersion,
  });
  return row !== undefined;
}
