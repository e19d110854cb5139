import type { Digest } from '@connector/kernel/digest';
import { documentKind, type DocumentBytes } from '@connector/kernel/document';
import { inKeyOrder, inTextOrder } from '@connector/kernel/document-order';
import { closed, DECIMAL, DIGEST, listOf, oneOf, TEXT, type Shape, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import type { SecurityHead } from '../model/security-head';

/**
 * What Catalog and Runtime security say to each other, as closed canonical documents; the separators are ours. Catalog makes App grants and
 * computes the digest of the projection that it expects; Runtime alone computes the projection for real and allocates its epoch (cat:SEC-03).
 */
export const APP_GRANTS_BYTES_MAX = 1_048_576;
/** The last epoch: none is above it, and an answer that names one is not Runtime's. */
export const EPOCH_MAX = 18446744073709551615n;

const OPERATION: Shape<OperationId> = { schema: { type: 'string', pattern: '^opn_[0-9a-z]{26}$' } };

const workloadGrantShape = closed({ workload_id: TEXT, capabilities: listOf(TEXT, 1000) });
export type WorkloadGrant = TypeOf<typeof workloadGrantShape>;

/** One workload once, its capabilities a set. */
const inGrantOrder = (grants: readonly WorkloadGrant[]): readonly WorkloadGrant[] =>
  inKeyOrder(grants, (grant) => [grant.workload_id]).map((grant) => ({ ...grant, capabilities: inTextOrder(grant.capabilities) }));

const appGrantsShape = closed({
  schema_version: oneOf('nexuscrm.runtime-app-grants/v1'),
  organization_id: TEXT,
  installations: listOf(closed({ app_installation_id: TEXT, app_release_digest: DIGEST, grants: listOf(workloadGrantShape, 1000) }), 1000),
});
export type AppGrants = TypeOf<typeof appGrantsShape>;

const arrangeAppGrants = (value: AppGrants): AppGrants => ({
  ...value,
  installations: inKeyOrder(value.installations, (installation) => [installation.app_installation_id]).map((installation) => ({
    ...installation,
    grants: inGrantOrder(installation.grants),
  })),
});

/** What all installations of one organization shall be granted: always the whole set, never a change of it (cat:SEC-06). */
export const appGrants = documentKind<AppGrants>({
  name: 'App grants',
  separator: 'nexuscrm.runtime-app-grants.v1',
  shape: appGrantsShape,
  arrange: arrangeAppGrants,
});

const otherInputsShape = closed({
  schema_version: oneOf('nexuscrm.runtime-security-other-inputs/v1'),
  organization_id: TEXT,
  platform_grants: listOf(workloadGrantShape, 1000),
});
export type OtherInputs = TypeOf<typeof otherInputsShape>;

/** The security inputs of an organization that come from no App. To Catalog its digest is opaque (decisions 12.4). */
export const otherInputs = documentKind<OtherInputs>({
  name: 'other security inputs',
  separator: 'nexuscrm.runtime-security-other-inputs.v1',
  shape: otherInputsShape,
  arrange: (value) => ({ ...value, platform_grants: inGrantOrder(value.platform_grants) }),
});

const securityProjectionShape = closed({
  schema_version: oneOf('nexuscrm.runtime-security-projection/v1'),
  organization_id: TEXT,
  other_inputs_digest: DIGEST,
  app_grants: appGrantsShape,
});
export type SecurityProjection = TypeOf<typeof securityProjectionShape>;

/** The complete projection of one organization. No epoch is in it: the same inputs are the same projection at every epoch. */
export const securityProjection = documentKind<SecurityProjection>({
  name: 'security projection',
  separator: 'nexuscrm.runtime-security-projection.v1',
  shape: securityProjectionShape,
  arrange: (value) => {
    if (value.app_grants.organization_id !== value.organization_id)
      throw new InputFault('HOUSE:security:OrganizationDiffers', 'the App grants are of another organization than the projection');
    return { ...value, app_grants: arrangeAppGrants(value.app_grants) };
  },
});

const securityBindingShape = closed({
  schema_version: oneOf('nexuscrm.runtime-security-binding/v1'),
  command_id: OPERATION,
  organization_id: TEXT,
  security_epoch: DECIMAL,
  projection_digest: DIGEST,
});
export type SecurityBinding = TypeOf<typeof securityBindingShape>;

/** Runtime's immutable word that this epoch of this organization is this projection, and that this command made it so. */
export const securityBinding = documentKind<SecurityBinding>({
  name: 'security binding',
  separator: 'nexuscrm.runtime-security-binding.v1',
  shape: securityBindingShape,
});

export const noAppGrants = (organization: string): DocumentBytes =>
  appGrants.build({ schema_version: 'nexuscrm.runtime-app-grants/v1', organization_id: organization, installations: [] });

/** What stands for an organization whose other inputs nobody has set. */
export const noOtherInputs = (organization: string): DocumentBytes =>
  otherInputs.build({ schema_version: 'nexuscrm.runtime-security-other-inputs/v1', organization_id: organization, platform_grants: [] });

/** The head of an organization that nobody wrote for. */
export const unprojectedHead = (organization: string): SecurityHead => ({
  securityEpoch: 0n,
  otherInputsDigest: noOtherInputs(organization).digest,
  projectionDigest: null,
});

/** The projection of these App grants under these other inputs. `grants` must be canonical bytes: InputFault where they are not. */
export function projectionOf(grants: Uint8Array, otherInputsDigest: Digest): DocumentBytes {
  const { value } = appGrants.parse(grants);
  return securityProjection.build({
    schema_version: 'nexuscrm.runtime-security-projection/v1',
    organization_id: value.organization_id,
    other_inputs_digest: otherInputsDigest,
    app_grants: value,
  });
}

/**
 * What a stored projection binds to one installation, as canonical bytes; null where it is not in it. `altered` where it is not what its digest says,
 * or is of another organization: then it binds nothing to anybody (cat:SEC-15).
 */
export function installationBindings(
  { bytes, digest }: DocumentBytes,
  organization: string,
  installation: string,
): Buffer | 'altered' | null {
  const read = readProjectionBytes(bytes);
  if (read?.digest !== digest || read.value.organization_id !== organization) return 'altered';
  const found = read.value.app_grants.installations.find(({ app_installation_id }) => app_installation_id === installation);
  return found === undefined ? null : jcs(found);
}

function readProjectionBytes(bytes: Uint8Array) {
  try {
    return securityProjection.parse(bytes);
  } catch (thrown) {
    if (thrown instanceof InputFault) return undefined;
    throw thrown;
  }
}

/** A command as it was committed, for whoever judges an answer to it. */
export interface BindingClaim {
  readonly commandId: OperationId;
  readonly organization: string;
  readonly expectedPriorEpoch: bigint;
  readonly expectedProjectionDigest: Digest;
}
export interface BindingAnswer {
  readonly securityEpoch: bigint;
  readonly projectionDigest: Digest;
  readonly bindingBytes: Buffer;
  readonly bindingDigest: Digest;
}

/**
 * Whether an answer binds exactly this command: the bytes are the canonical binding of its id, organization and projection, at a later epoch than
 * it expected that there can be, and what the answer says beside them is what they say. Nothing else is journaled as an acknowledgement (cat:PUBL-07).
 */
export function isBoundTo(command: BindingClaim, answer: BindingAnswer): boolean {
  const { bytes, digest } = securityBinding.build({
    schema_version: 'nexuscrm.runtime-security-binding/v1',
    command_id: command.commandId,
    organization_id: command.organization,
    security_epoch: answer.securityEpoch.toString(),
    projection_digest: command.expectedProjectionDigest,
  });
  const same = bytes.equals(answer.bindingBytes) && digest === answer.bindingDigest;
  const later = answer.securityEpoch > command.expectedPriorEpoch && answer.securityEpoch <= EPOCH_MAX;
  return same && later && answer.projectionDigest === command.expectedProjectionDigest;
}
