import { Digest } from '@connector/kernel/digest';
import { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { ACCOUNT, configurationInput, credentialInput, POLICIES } from './control.fixture';
import { countOf } from '@connector/testing/fixtures/serving';
import { readConfiguration } from '../reads/configuration';
import { serviceConfiguration, serviceConfigurationReceipt, type ServiceConfiguration } from '../model/documents';
import { authorConfiguration } from './author-configuration.tx';
import { authorCredential } from './author-credential.tx';

let schema: TestSchema;
let generationId: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  const authored = await authorCredential(schema.db, credentialInput());
  generationId = 'generationId' in authored ? authored.generationId : CredentialGenerationId.mint();
});
afterAll(() => schema.close());

type Account = ServiceConfiguration['accounts'][number];
const withAccount = (change: Partial<Account>): Partial<ServiceConfiguration> => {
  const [account] = configurationInput(generationId).configuration.accounts;
  return { accounts: account ? [{ ...account, ...change }] : [] };
};

describe('author-configuration', () => {
  it('authored: con:SCG-F con:SCG-W its canonical bytes and a byte-stable receipt are stored under its id', async () => {
    const input = configurationInput(generationId);
    const authored = await authorConfiguration(schema.db, input);
    const stored = await readConfiguration(schema.db, input.generationId);
    expect(authored).toEqual({ kind: 'authored', generationId: input.generationId, digest: stored?.generationDigest });
    expect(stored && serviceConfiguration.parse(stored.documentBytes).digest).toBe(stored?.generationDigest);
    const receipt = stored && serviceConfigurationReceipt.parse(stored.receiptBytes);
    expect(receipt?.digest).toBe(stored?.receiptDigest);
    expect(receipt?.value.generation_digest).toBe(stored?.generationDigest);
  });

  it('already-authored: the same configuration under its own id, and under another one, is the generation that stands', async () => {
    const input = configurationInput(generationId);
    await authorConfiguration(schema.db, input);
    const again = await authorConfiguration(schema.db, input);
    expect(again).toMatchObject({ kind: 'already-authored', generationId: input.generationId });
    expect(await authorConfiguration(schema.db, { ...input, generationId: ConfigurationId.mint() })).toEqual(again);
    expect(await countOf(schema, 'ctl_service_configuration')).toBe(1);
  });

  it('conflicting-configuration: con:SCG-M other bytes under a used id are refused', async () => {
    const input = configurationInput(generationId);
    const first = await authorConfiguration(schema.db, input);
    const other = { ...configurationInput(generationId, { environment_id: 'other' }), generationId: input.generationId };
    expect(await authorConfiguration(schema.db, other)).toEqual({
      kind: 'conflicting-configuration',
      digest: 'digest' in first && first.digest,
    });
  });

  it('credential-absent: con:SCG-K the relation names a generation that is not there', async () => {
    const refused = { kind: 'credential-absent', account: ACCOUNT, credentialRef: 'primary' };
    expect(await authorConfiguration(schema.db, configurationInput(CredentialGenerationId.mint()))).toEqual(refused);
    expect(await countOf(schema, 'ctl_service_configuration')).toBe(0);
  });

  it('credential-of-other-identity: con:SCG-K the generation is of another reference', async () => {
    const [entry] = configurationInput(generationId).configuration.credential_relation;
    const relation = entry ? [{ ...entry, credential_ref: 'secondary' }] : [];
    const answer = await authorConfiguration(schema.db, configurationInput(generationId, { credential_relation: relation }));
    expect(answer).toEqual({ kind: 'credential-of-other-identity', account: ACCOUNT, credentialRef: 'secondary' });
  });

  it('credential-of-other-account: con:SCG-K the generation is of another account', async () => {
    const [account] = configurationInput(generationId).configuration.accounts;
    const [entry] = configurationInput(generationId).configuration.credential_relation;
    const change = {
      accounts: account ? [account, { ...account, account: 'south/acme' }] : [],
      credential_relation: entry ? [{ ...entry, account: 'south/acme' }] : [],
    };
    const answer = await authorConfiguration(schema.db, configurationInput(generationId, change));
    expect(answer).toEqual({ kind: 'credential-of-other-account', account: 'south/acme', credentialRef: 'primary' });
  });

  it.each<[string, () => Partial<ServiceConfiguration>]>([
    ['no account', () => ({ accounts: [] })],
    ['an account in capitals (con:IDN-03)', () => withAccount({ account: 'North/acme' })],
    ['an account without a provider', () => withAccount({ account: 'acme' })],
    ['a channel with a slash', () => withAccount({ channels: [{ channel: 'a/b', scheme: 's', route: 'record/changed' }] })],
    ['a channel to a route that is not enabled', () => withAccount({ channels: [{ channel: 'hook', scheme: 's', route: 'other' }] })],
    ['a policy that is missing', () => withAccount({ policies: { attempts_max: 1 } })],
    ['a policy that nobody knows', () => withAccount({ policies: { ...JSON.parse(JSON.stringify(POLICIES)), speed: 1 } })],
    ['a relation of an unknown account (con:SCG-K)', () => withAccount({ account: 'west/new' })],
    ['a route twice', () => withAccount({ routes: ['record/changed', 'record/changed'] })],
  ])('refused: %s', async (_what, change) => {
    await expect(authorConfiguration(schema.db, configurationInput(generationId, change()))).rejects.toMatchObject({ name: 'InputFault' });
    expect(await countOf(schema, 'ctl_service_configuration')).toBe(0);
  });

  it('undefined: con:FACT-03 there is no current configuration, only exact ones', async () => {
    await authorConfiguration(schema.db, configurationInput(generationId));
    expect(
      await readConfiguration(schema.db, ConfigurationId.of(Digest.bytes(Digest.sha256(Buffer.alloc(0))).subarray(16))),
    ).toBeUndefined();
  });
});
