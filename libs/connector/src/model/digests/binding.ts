import type { BindingKind } from '@connector/kernel/document-binding';
import type { Digest } from '@connector/kernel/digest';
import type { Digested } from '@connector/kernel/digest-profile';
import { BindingRowId } from '@connector/kernel/ids';
import { type Identified, identified, profiled } from './profiled';
import type { ApplicationScope } from './scope';

/** Which definition a Catalog binding means; the payload digest is not part of it, the definition version is. */
export interface BindingName {
  readonly kind: BindingKind;
  readonly ownerPack: string;
  readonly packInstallation: string;
  readonly businessKey: string;
  readonly definitionVersion: string;
}

export function bindingIdentityDigest(scope: ApplicationScope, binding: BindingName): Digested {
  return profiled('binding-identity')
    .text('organization', scope.organization)
    .text('installation', scope.installation)
    .text('workload', scope.workload)
    .text('kind', binding.kind)
    .text('owner_pack', binding.ownerPack)
    .text('pack_installation', binding.packInstallation)
    .text('business_key', binding.businessKey)
    .text('definition_version', binding.definitionVersion)
    .build();
}

/** A binding in its place in one epoch. `epochId` has 16 bytes, `ordinal` is zero-based. */
export function bindingRowDigest(epochId: Uint8Array, ordinal: number, identity: Digest): Identified<'BindingRowId'> {
  return identified(
    BindingRowId,
    profiled('binding-row').id('epoch_id', epochId).int('ordinal', ordinal).digest('binding_identity', identity).build(),
  );
}
