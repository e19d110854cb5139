/**
 * advance-app-grants: the App grants of an organization at its next security epoch
 *
 * why     Catalog says what Apps shall be granted, Runtime alone allocates the epoch at which it holds (cat:SEC-03). Whoever asks names the
 *         epoch and the projection that it saw, so that an input of another kind that came between refuses it (cat:SEC-09).
 * paths   advance-app-grants
 * fence   the head of the organization, locked, and compared with the expected prior epoch.
 * again   Command id and payload: the same binding, also after newer epochs.
 */
import type { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import type { OperationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { APP_GRANTS_BYTES_MAX, appGrants, projectionOf } from '../contract/projection';
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

export interface AdvanceAppGrants {
  readonly commandId: OperationId;
  readonly organization: string;
  /** 0 where the organization has no projection yet (cat:A-31). */
  readonly expectedPriorEpoch: bigint;
  /** Canonical bytes, at most APP_GRANTS_BYTES_MAX: InputFault where they are not, or are another organization's. */
  readonly appGrants: Buffer;
  readonly expectedProjectionDigest: Digest;
}

export type AppGrantsAdvanced =
  | BoundEpoch
  | PayloadConflict
  | EpochsExhausted
  | { readonly kind: 'stale-epoch'; readonly currentEpoch: bigint }
  /** What these App grants are under the other inputs that stand. */
  | { readonly kind: 'projection-differs'; readonly projectionDigest: Digest; readonly otherInputsDigest: Digest };

export async function advanceAppGrants(db: Db, input: AdvanceAppGrants): Promise<AppGrantsAdvanced> {
  const command = checked(input);
  return db.fenced(securityDoors['advance-app-grants'], async (tx) => {
    const head = await holdHead(tx, input.organization);
    const before = await boundBefore(tx, command);
    if (before !== undefined) return before;
    if (head.securityEpoch !== input.expectedPriorEpoch) return { kind: 'stale-epoch', currentEpoch: head.securityEpoch };
    const { otherInputsDigest } = head;
    const projection = projectionOf(input.appGrants, otherInputsDigest);
    if (projection.digest !== input.expectedProjectionDigest)
      return { kind: 'projection-differs', projectionDigest: projection.digest, otherInputsDigest };
    const { otherInputs } = await standingInputs(tx, head);
    return bindNext(tx, head, command, { projection, otherInputs: { bytes: otherInputs, digest: otherInputsDigest } });
  });
}

function checked({ commandId, organization, expectedPriorEpoch, appGrants: bytes, expectedProjectionDigest }: AdvanceAppGrants) {
  if (bytes.length > APP_GRANTS_BYTES_MAX)
    throw new InputFault('HOUSE:security:AppGrantsTooLarge', `at most ${APP_GRANTS_BYTES_MAX} bytes, found ${bytes.length}`);
  const { value, digest } = appGrants.parse(bytes);
  if (value.organization_id !== organization)
    throw new InputFault('HOUSE:security:OrganizationDiffers', 'the App grants are of another organization');
  return commandOf(commandId, 'advance-app-grants', {
    organization_id: organization,
    expected_prior_epoch: expectedPriorEpoch.toString(),
    app_grants_digest: digest,
    expected_projection_digest: expectedProjectionDigest,
  });
}
