import type { Digest } from '@connector/kernel/digest';
import type { Plan } from './plan';

/** What moves in a plan stands in `expected`, so its digest can be made again from what a confirmation says (experience 3.0.4). */
export interface KeyOfPublisher {
  readonly publisher: string;
  readonly key: string;
}
export interface OwnershipMove {
  readonly app: string;
  readonly from: string;
  readonly to: string;
  readonly epoch: string;
}

export function revokeKeyPlan({ publisher, key }: KeyOfPublisher): Plan {
  return {
    ...{ schema: 'connector.plan/v1', verb: 'publishers.revoke-key', subject: key, rung: 2 },
    expected: { publisher_id: publisher, revoked: false },
    steps: [`lock ${publisher}`, 'the key is revoked, for good'],
    then: [
      'nothing that it signs is accepted any more, whatever time the signer claims',
      'releases that it signed before stay registered and go on serving',
      'no installation of them can be prepared anew',
    ],
    way_back: ['none: add another key, and publish again under it'],
  };
}

function ownershipSteps({ app, from, to, epoch }: OwnershipMove): readonly string[] {
  return [`lock ${app}`, `owner ${from} -> ${to}, ownership epoch ${epoch} -> ${BigInt(epoch) + 1n}`, 'the audit names both'];
}
const AFTER_MOVE = ['releases from before stay as they are, under their first publisher', 'only the new owner can register releases'];

export function acceptPlan(move: OwnershipMove, transfer: Digest): Plan {
  const { app, from, to, epoch } = move;
  return {
    ...{ schema: 'connector.plan/v1', verb: 'apps.accept', subject: app, rung: 2 },
    expected: { transfer_id: transfer, publisher_id: from, ownership_epoch: epoch },
    steps: ownershipSteps(move),
    then: AFTER_MOVE,
    way_back: [`a transfer that ${to} signs, back to ${from}`],
  };
}

export function recoverPlan(move: OwnershipMove): Plan {
  const { app, from, to, epoch } = move;
  return {
    ...{ schema: 'connector.plan/v1', verb: 'apps.recover', subject: app, rung: 2 },
    expected: { publisher_id: from, new_publisher_id: to, ownership_epoch: epoch },
    steps: ownershipSteps(move),
    then: ['nobody signs it: your reason stands in the audit', ...AFTER_MOVE],
    way_back: [`a transfer that ${to} signs, or another recovery`],
  };
}
