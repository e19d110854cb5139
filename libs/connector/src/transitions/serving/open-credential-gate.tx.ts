/**
 * open-credential-gate: create the gate of a credential generation, enabled at fence 1
 *
 * why     A generation may dispatch only through its gate, and a missing gate fails closed (con:OPEN-47). Control calls this after its own
 *         commit; until it has, PREP refuses the generation.
 * paths   open-credential-gate
 * fence   the primary key: one gate per generation (con:UNIQ-05)
 * again   The credential generation. A gate that was revoked since stays revoked.
 */
import type { CredentialFence } from '@connector/kernel/brand';
import type { CredentialGenerationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { credentialGateMachine } from '../../model/serving/credential-gate';
import { connectorDoors } from '../../model/paths';

export type OpenCredentialGate = { readonly kind: 'opened' | 'already-open' };

const FIRST_FENCE = 1n as CredentialFence;

export function openCredentialGate(db: Db, generationId: CredentialGenerationId): Promise<OpenCredentialGate> {
  return db.fenced(connectorDoors['open-credential-gate'], async (tx) => {
    const row = { generation_id: generationId, mode: credentialGateMachine.initial, fence: FIRST_FENCE };
    return { kind: (await tx.insertNew(conCredentialGate, row)) === 'inserted' ? 'opened' : 'already-open' };
  });
}
