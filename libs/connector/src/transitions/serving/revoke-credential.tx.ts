/**
 * REV revoke-credential: credential gate enabled → revoked
 *
 * why     From this commit on nothing is granted or sent with the generation: PACQ and SEND lock this row. A call that is `sending` is not
 *         recalled and settles; neither the generation nor a permit is touched (con:REV-W). The publication barrier comes with the barriers.
 * paths   revoke-credential
 * fence   credential gate by (generation, mode, fence); the decision that control wrote for its next fence.
 * again   The operation id of the decision: the same one again is given its first answer.
 */
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { connectorDoors } from '../../model/paths';
import { MODE_SET, moveCredential, type CredentialMove, type CredentialMoved, type CredentialRefusal } from './credential-move';

export type RevokeCredential = CredentialMoved<'revoked'> | CredentialRefusal;

const REVOKE = updateRows(conCredentialGate, MODE_SET, 'revoke');

export function revokeCredential(db: Db, move: CredentialMove): Promise<RevokeCredential> {
  return db.fenced(connectorDoors['revoke-credential'], (tx) =>
    moveCredential(tx, move, { kind: 'revoked', verb: 'revoke', statement: REVOKE }),
  );
}
