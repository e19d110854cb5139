import type { AccountName } from '@connector/kernel/brand';
import { uuidText } from '@connector/kernel/document';
import { Digest } from '@connector/kernel/digest';
import { ConfigurationId, CredentialGenerationId, EpochId, GenerationId, IsolationId, TerminationId } from '@connector/kernel/ids';
import { setMembership, type SetMembership } from '@connector/catalog/transitions/set-membership.tx';
import { addChannelKey } from '@connector/control/transitions/add-channel-key.tx';
import { authorConfiguration } from '@connector/control/transitions/author-configuration.tx';
import { authorCredential, type AuthorCredential } from '@connector/control/transitions/author-credential.tx';
import { recordIsolation } from '@connector/control/transitions/record-isolation.tx';
import { recordTermination } from '@connector/control/transitions/record-termination.tx';
import { retireChannelKey } from '@connector/control/transitions/retire-channel-key.tx';
import { pinGenerations } from '@connector/packs/transitions/pin-generations.tx';
import { registerPack } from '@connector/packs/transitions/register-pack.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { DEMO_POLICIES } from '../../fixtures/demo-epoch';
import { INSTALLATION, installedApp, ORGANIZATION } from '../../fixtures/installation';
import { asking } from '../../fixtures/registry';
import { notedPack, registeredGenerations } from '../../fixtures/registered-pack';
import { act, type DoorCase } from './door-case';

const ACCOUNT = 'north/acme' as AccountName;
const CHANNEL = { account: ACCOUNT, channel: 'hook' };

const credential = (): AuthorCredential => ({
  generationId: CredentialGenerationId.mint(),
  credentialIdentity: 'primary',
  provider: 'north',
  account: ACCOUNT,
  secretPath: 'north/primary',
  secretVersion: '1',
  transport: { scheme: 'bearer' },
});

const configuration = (generationId: CredentialGenerationId) => ({
  schema_version: 'nexuscrm.connector-service-configuration/v1' as const,
  environment_id: 'test',
  service_id: 'connector',
  accounts: [
    {
      account: ACCOUNT,
      provider_organization: 'acme',
      channels: [{ channel: 'hook', scheme: 'standard-webhooks', route: 'record/changed' }],
      routes: ['record/changed'],
      mappings: ['record/default'],
      policies: DEMO_POLICIES,
    },
  ],
  credential_relation: [
    { account: ACCOUNT, credential_ref: 'primary', credential_generation_id: uuidText(CredentialGenerationId.bytes(generationId)) },
  ],
});

const channelKey = (keyVersion: number) => ({
  ...CHANNEL,
  keyVersion,
  scheme: 'standard-webhooks',
  secretPath: 'north/hook',
  secretVersion: String(keyVersion),
  endsAt: null,
});

const CONTROL_CASES: readonly DoorCase[] = [
  {
    door: 'author-configuration',
    arrange: async ({ main }) => {
      const authored = credential();
      await authorCredential(main.db, authored);
      const input = { generationId: ConfigurationId.mint(), authoredBy: 'test', configuration: configuration(authored.generationId) };
      return act(ANSWER_SOON, (db) => authorConfiguration(db, input));
    },
  },
  {
    door: 'author-credential',
    arrange: () => {
      const input = credential();
      return Promise.resolve(act(ANSWER_SOON, (db) => authorCredential(db, input)));
    },
  },
  {
    door: 'add-channel-key',
    way: 'the first of a channel',
    arrange: () => Promise.resolve(act(ANSWER_SOON, (db) => addChannelKey(db, channelKey(1)))),
  },
  {
    door: 'add-channel-key',
    way: 'a further one',
    arrange: async ({ main }) => {
      await addChannelKey(main.db, channelKey(1));
      return act(ANSWER_SOON, (db) => addChannelKey(db, channelKey(2)));
    },
  },
  {
    door: 'retire-channel-key',
    arrange: async ({ main }) => {
      await addChannelKey(main.db, channelKey(1));
      return act(ANSWER_SOON, (db) => retireChannelKey(db, { ...CHANNEL, keyVersion: 1, reason: 'rotated' }));
    },
  },
  {
    door: 'record-termination',
    arrange: () => {
      const ids = { generationId: GenerationId.mint(), terminationId: TerminationId.mint() };
      const input = { ...ids, service: 'egress-adapter', supervisor: 'test', evidence: Buffer.from('exit') };
      return Promise.resolve(act(ANSWER_SOON, (db) => recordTermination(db, input)));
    },
  },
  {
    door: 'record-isolation',
    arrange: () => {
      const ids = { generationId: GenerationId.mint(), isolationId: IsolationId.mint() };
      const input = { ...ids, controller: 'test', evidence: Buffer.from('cut') };
      return Promise.resolve(act(ANSWER_SOON, (db) => recordIsolation(db, input)));
    },
  },
];

const wantedMembership = (): SetMembership => ({
  request: asking(),
  organization: ORGANIZATION,
  installation: INSTALLATION,
  workload: 'wl.workbench',
  expectedCatalogRevision: 1n,
  bindings: [
    {
      kind: 'inbound-route',
      owner_pack: 'dev.example.north',
      pack_installation_id: 'pi-1',
      pack_payload_digest: Digest.sha256(Buffer.from('pack')),
      business_key: 'record/changed',
      definition_version: '1',
      credential_refs: ['primary'],
    },
  ],
});

const PUBLICATION_CASES: readonly DoorCase[] = [
  {
    door: 'register-pack',
    arrange: () => {
      const input = notedPack('1.0.0', 'x', ['inbound-route']);
      return Promise.resolve(act(ANSWER_SOON, (db) => registerPack(db, input)));
    },
  },
  {
    door: 'set-membership',
    arrange: async ({ main }) => {
      await installedApp(main);
      const input = wantedMembership();
      return act(ANSWER_SOON, (db) => setMembership(db, input));
    },
  },
  {
    door: 'pin-generations',
    arrange: async ({ main }) => {
      const generations = await registeredGenerations(main.db, '1.0.0', '1.1.0');
      const input = { epochId: EpochId.mint(), epochDigest: Digest.sha256(Buffer.from('epoch')), generations };
      return act(ANSWER_SOON, (db) => pinGenerations(db, input));
    },
  },
];

/** What control, the pack registry and the catalog author. */
export const AUTHORING_CASES: readonly DoorCase[] = [...CONTROL_CASES, ...PUBLICATION_CASES];
