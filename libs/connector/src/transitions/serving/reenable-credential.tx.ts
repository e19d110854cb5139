/**
 * REE reenable-credential: credential gate revoked → enabled, under a further fence
 *
 * why     Permits may be granted again, on the new fence alone: what was granted before carries an older one and never sends, and no
 *         attempt that is closed opens again (con:REE-X). The publication barrier comes with the barriers.
 * paths   reenable-credential
 * fence   credential gate by (generation, mode, fence); the decision that control wrote for its next fence. Whether the revocation may be
 *         taken back was judged when that decision was written.
 * again   The operation id of the decision.
 */
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { raiseWorkIfServed } from '../../fences/account-work';
import { connectorDoors } from '../../model/paths';
import { MODE_SET, moveCredential, type CredentialMove, type CredentialMoved, type CredentialRefusal } from './credential-move';

export type ReenableCredential = CredentialMoved<'reenabled'> | CredentialRefusal;

const REENABLE = updateRows(conCredentialGate, MODE_SET, 'reenable');

export function reenableCredential(db: Db, move: CredentialMove): Promise<ReenableCredential> {
  return db.fenced(connectorDoors['reenable-credential'], (tx) =>
    moveCredential(tx, move, {
      kind: 'reenabled',
      verb: 'reenable',
      statement: REENABLE,
      // Prepared effects waited for this gate; they are looked at now and not at the next slow look.
      then: (held, account) => raiseWorkIfServed(held, 'effect', account),
    }),
  );
}
