/**
 * set-other-inputs: the security inputs of an organization that come from no App
 *
 * why     They are part of what is projected, so they are a new epoch like App grants, and a command of Catalog that was based on the old
 *         ones is stale. The App grants that stand are carried over: whoever sets these has no say in those (cat:SEC-12).
 * paths   set-other-inputs
 * fence   the head of the organization, locked; the digest of the inputs that the caller wants to replace.
 * again   Operation id and payload: the same binding, also after newer epochs.
 */
import type { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { otherInputs, type WorkloadGrant } from '../contract/projection';
import { securityDoors } from '../model/paths';
import {
  bindNext,
  boundBefore,
  commandOf,
  standingInputs,
  type BoundEpoch,
  type EpochsExhausted,
  type PayloadConflict,
} from './bind-epoch';
import { holdHead } from './hold-head';

export interface SetOtherInputs {
  readonly operationId: OperationId;
  readonly organization: string;
  /** Of those that the caller saw and wants to replace whole. */
  readonly expectedOtherInputsDigest: Digest;
  /** In any order; a workload or a capability twice is an InputFault. */
  readonly platformGrants: readonly WorkloadGrant[];
}

export type OtherInputsSet =
  BoundEpoch | PayloadConflict | EpochsExhausted | { readonly kind: 'other-inputs-moved'; readonly otherInputsDigest: Digest };

export async function setOtherInputs(db: Db, input: SetOtherInputs): Promise<OtherInputsSet> {
  const { operationId, organization, expectedOtherInputsDigest } = input;
  const document = otherInputs.build({
    schema_version: 'nexuscrm.runtime-security-other-inputs/v1',
    organization_id: organization,
    platform_grants: input.platformGrants,
  });
  const command = commandOf(operationId, 'set-other-inputs', {
    organization_id: organization,
    expected_other_inputs_digest: expectedOtherInputsDigest,
    other_inputs_digest: document.digest,
  });
  return db.fenced(securityDoors['set-other-inputs'], async (tx) => {
    const head = await holdHead(tx, organization);
    const before = await boundBefore(tx, command);
    if (before !== undefined) return before;
    const { otherInputsDigest } = head;
    if (otherInputsDigest !== expectedOtherInputsDigest) return { kind: 'other-inputs-moved', otherInputsDigest };
    const { projectionUnder } = await standingInputs(tx, head);
    return bindNext(tx, head, command, { projection: projectionUnder(document.digest), otherInputs: document });
  });
}
