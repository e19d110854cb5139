import { type CredentialGenerationId, SendToken } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { decided } from '@connector/testing/fixtures/credential';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  inOrder,
  registered,
  settlement,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { revokeCredential } from '../serving/revoke-credential.tx';
import { settlePermits } from './settle-permits.tx';
import { startSending, type StartSending } from './start-sending.tx';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

/** Permits for this many new commands. */
async function permits(count = 1): Promise<readonly HeldPermit[]> {
  for (let sequence = 1; sequence <= count; sequence += 1) await authored(schema, served, sequence, credential);
  return granted(schema.db, served, holder);
}

const send = (db: Db, held: readonly HeldPermit[], sendToken = SendToken.mint()): Promise<readonly StartSending[]> =>
  startSending(db, { ...holder, credentialGenerationId: credential, sendToken, permits: held });

describe('start-sending race', () => {
  it('sending: con:SEND-O of eight concurrent callers exactly one is sending', async () => {
    const held = await permits();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(schema.db, held)));
    const kinds = answers.map(([answer]) => answer?.kind).sort();
    expect(kinds).toEqual([...Array.from({ length: 7 }, () => 'not-granted'), 'sending']);
  });

  it('sending: con:PRMT-01 the first to commit sends, the second does not', async () => {
    const held = await permits();
    const points = { first: 'start-sending/commit', second: 'start-sending/lock con_credential_gate' };
    const both = await inOrder(
      schema,
      points,
      (db) => send(db, held),
      (db) => send(db, held),
    );
    expect(both).toEqual([[{ kind: 'sending' }], [{ kind: 'not-granted', state: 'sending' }]]);
  });

  const SEND = 'start-sending/lock con_credential_gate';
  const REVOKE = 'revoke-credential/lock con_credential_gate';

  it('credential-revoked: con:CRASH-19 con:REV-L a revocation that commits first blocks the send', async () => {
    const held = await permits();
    const move = await decided(schema, served.account, credential, 'revoke');
    const points = { first: 'revoke-credential/commit', second: SEND };
    const [revoked, sent] = await inOrder(
      schema,
      points,
      (db) => revokeCredential(db, move),
      (db) => send(db, held),
    );
    expect(revoked).toMatchObject({ kind: 'revoked', fence: 4n });
    expect(sent).toEqual([{ kind: 'credential-revoked' }]);
  });

  it('sending: con:CRASH-19 con:REV-O a send that commits first is not recalled by the revocation, and settles', async () => {
    const held = await permits();
    const move = await decided(schema, served.account, credential, 'revoke');
    const sendToken = SendToken.mint();
    const [sent, revoked] = await inOrder(
      schema,
      { first: 'start-sending/commit', second: REVOKE },
      (db) => send(db, held, sendToken),
      (db) => revokeCredential(db, move),
    );
    expect(sent).toEqual([{ kind: 'sending' }]);
    expect(revoked).toMatchObject({ kind: 'revoked', fence: 4n });
    expect(await settlePermits(schema.db, settlement(served, holder, sendToken, held, CONFIRMED))).toEqual([
      { kind: 'settled', effect: 'remote_confirmed' },
    ]);
  });
});
