import type { AccountName } from '@connector/kernel/brand';
import { CredentialGenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { ACCOUNT, credentialInput } from './control.fixture';
import { countOf } from '@connector/testing/fixtures/serving';
import { credentialReceipt, credentialTransport } from '../model/documents';
import { readCredential } from '../reads/credential';
import { addChannelKey } from './add-channel-key.tx';
import { authorCredential } from './author-credential.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const key = (secretPath: string, secretVersion: string) => ({
  account: ACCOUNT,
  channel: 'hook',
  keyVersion: 1,
  scheme: 'standard-webhooks',
  secretPath,
  secretVersion,
  endsAt: null,
});

describe('author-credential', () => {
  it('authored: con:CRED-F receipt and transport are stored; the secret is only named', async () => {
    const input = credentialInput();
    expect(await authorCredential(schema.db, input)).toEqual({ kind: 'authored', generationId: input.generationId });
    const stored = await readCredential(schema.db, input.generationId);
    expect(stored).toMatchObject({ account: ACCOUNT, secretPath: 'north/primary', secretVersion: '1' });
    const receipt = stored && credentialReceipt.parse(stored.receiptBytes);
    expect(receipt).toMatchObject({ digest: stored?.receiptDigest, value: { account: ACCOUNT, secret_version: 'north/primary#1' } });
    expect(stored && credentialTransport.parse(stored.transportBytes).digest).toBe(receipt?.value.transport_configuration_digest);
  });

  it('already-authored: the same generation again, and the same secret version under another id, is the one that stands', async () => {
    const input = credentialInput();
    await authorCredential(schema.db, input);
    const standing = { kind: 'already-authored', generationId: input.generationId };
    expect(await authorCredential(schema.db, input)).toEqual(standing);
    expect(await authorCredential(schema.db, credentialInput())).toEqual(standing);
    expect(await countOf(schema, 'ctl_credential_generation')).toBe(1);
  });

  it.each([
    ['another account', { account: 'south/acme' as AccountName }],
    ['another secret version', { secretVersion: '2' }],
    ['another secret', { secretPath: 'north/other' }],
    ['another provider', { provider: 'south' }],
    ['another transport', { transport: { scheme: 'bearer', header: 'x-key' } }],
  ])('conflicting-credential: con:CRED-M the same id with %s is refused and uses no secret', async (_what, change) => {
    const input = credentialInput();
    await authorCredential(schema.db, input);
    expect(await authorCredential(schema.db, { ...input, ...change })).toEqual({
      kind: 'conflicting-credential',
      generationId: input.generationId,
    });
    expect(await countOf(schema, 'ctl_secret_use')).toBe(1);
  });

  it('authored: con:CRED-W rotation is another generation beside the first, which stays readable', async () => {
    const first = credentialInput();
    const second = credentialInput({ secretVersion: '2' });
    await authorCredential(schema.db, first);
    expect(await authorCredential(schema.db, second)).toEqual({ kind: 'authored', generationId: second.generationId });
    expect(await readCredential(schema.db, first.generationId)).toMatchObject({ secretVersion: '1' });
  });

  it('secret-is-channel-key: a version that verifies callers never becomes a credential', async () => {
    await addChannelKey(schema.db, key('north/primary', '1'));
    expect(await authorCredential(schema.db, credentialInput())).toEqual({ kind: 'secret-is-channel-key' });
    expect(await countOf(schema, 'ctl_credential_generation')).toBe(0);
    expect(await authorCredential(schema.db, credentialInput({ secretVersion: '2' }))).toMatchObject({ kind: 'authored' });
  });

  it('undefined: con:CRED-K con:CRED-R a generation is found by its exact id alone', async () => {
    await authorCredential(schema.db, credentialInput());
    expect(await readCredential(schema.db, CredentialGenerationId.mint())).toBeUndefined();
  });
});

describe('add-channel-key', () => {
  it('secret-is-credential: a version that a credential generation names never verifies callers', async () => {
    await authorCredential(schema.db, credentialInput());
    expect(await addChannelKey(schema.db, key('north/primary', '1'))).toEqual({ kind: 'secret-is-credential' });
    expect(await countOf(schema, 'ctl_channel_key')).toBe(0);
    expect(await addChannelKey(schema.db, key('north/primary', '2'))).toMatchObject({ kind: 'added' });
  });
});
