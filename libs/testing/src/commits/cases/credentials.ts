import type { AccountName, CredentialFence } from '@connector/kernel/brand';
import { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import { reenableCredential } from '@connector/connector/transitions/serving/reenable-credential.tx';
import { revokeCredential } from '@connector/connector/transitions/serving/revoke-credential.tx';
import { authorCredential } from '@connector/control/transitions/author-credential.tx';
import { decideCredential } from '@connector/control/transitions/decide-credential.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import type { TestSchema } from '../../database';
import { decided, revoked } from '../../fixtures/credential';
import { act, oneAccount, type DoorCase } from './door-case';

/** An authored generation of this account, its gate open. */
async function opened(main: TestSchema, account: AccountName): Promise<CredentialGenerationId> {
  const generationId = CredentialGenerationId.mint();
  const secret = { secretPath: 'north/primary', secretVersion: '1' };
  const named = { credentialIdentity: 'primary', provider: 'north', account, transport: { scheme: 'bearer' } } as const;
  await authorCredential(main.db, { generationId, ...secret, ...named });
  await openCredentialGate(main.db, generationId);
  return generationId;
}

export const CREDENTIAL_CASES: readonly DoorCase[] = [
  {
    door: 'decide-credential',
    arrange: async ({ main }) => {
      const generationId = await opened(main, (await oneAccount(main)).account);
      const decision = { operationId: OperationId.mint(), generationId, verb: 'revoke', expectedFence: 1n as CredentialFence } as const;
      return act(ANSWER_SOON, (db) => decideCredential(db, { ...decision, final: false, by: 'test', reason: 'test' }));
    },
  },
  {
    door: 'revoke-credential',
    arrange: async ({ main }) => {
      const { account } = await oneAccount(main);
      const move = await decided(main, account, await opened(main, account), 'revoke');
      return act(ANSWER_SOON, (db) => revokeCredential(db, move));
    },
  },
  {
    door: 'reenable-credential',
    arrange: async ({ main }) => {
      const { account } = await oneAccount(main);
      const generationId = await opened(main, account);
      await revoked(main, account, generationId);
      const move = await decided(main, account, generationId, 'reenable');
      return act(ANSWER_SOON, (db) => reenableCredential(db, move));
    },
  },
];
