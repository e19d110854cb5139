import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import { EpochId } from '@connector/kernel/ids';
import { jcs, type Json } from '@connector/kernel/jcs';
import { askOwners } from '@connector/connector/contract/ask-owners';
import { assembleEpoch } from '@connector/connector/model/serving/assemble-epoch';
import { prepareEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import {
  DEMO_POLICIES,
  type DemoEpoch,
  demoEpoch,
  DESTINATION,
  owners,
  SCOPE,
  type ServedChannel,
  SOURCE,
} from '@connector/testing/fixtures/demo-epoch';
import type { EpochView } from './epoch-view';
import { EpochViews } from './epoch-views';

let schema: TestSchema;
let demo: DemoEpoch;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
});
afterAll(() => schema.close());

/** As a service that has just started loads it. */
const load = (): Promise<EpochView> => new EpochViews(schema.db).of(demo.source);

/** What work that the epoch admitted goes by. */
function frozen(view: EpochView): object {
  const { epochDigest, configurationId, configurationDigest } = view;
  const channel = view.account(SOURCE)?.channel('hook');
  const { packPayloadDigest, packGenerationStorageId } = view.push('ticket/create') ?? {};
  const policies = view.account(SOURCE)?.policies;
  return {
    epochDigest,
    configurationId,
    configurationDigest,
    route: channel?.route.ref,
    packPayloadDigest,
    packGenerationStorageId,
    policies,
  };
}

/** The same rows under another id, as a candidate. */
async function preparedBeside(): Promise<{ readonly epochId: EpochId; readonly epochDigest: Digest }> {
  const [epochId, { configurationId }] = [EpochId.mint(), demo];
  const asked = await askOwners(owners(schema.db), { ...SCOPE, minCatalogRevision: 1n, configurationId });
  const assembled = asked.kind === 'found' ? assembleEpoch(epochId, asked.answers) : asked;
  if (assembled.kind !== 'assembled') throw new Error(assembled.kind);
  await prepareEpoch(schema.db, { digestProfile: DIGEST_PROFILE, parts: assembled.parts });
  return { epochId, epochDigest: assembled.digested.digest };
}

/** The desk once more, of another owner and for another host: only the callout profile is called the same. It has a further one. */
const BESIDE: ServedChannel = {
  ...{ pack: './tern-desk', account: 'alder/acme' as AccountName, channel: 'hints', scheme: 'github-sha256' },
  ...{ route: 'note/any', mapping: 'note/default', secretPath: 'channel/alder/acme/hints' },
};
function oncePerOwner(pack: Json): Json {
  const text = JSON.stringify(pack);
  const desks = text.includes('dev.example.tern-desk') ? (desksSeen += 1) : 0;
  if (desks !== 2) return pack;
  const renamed = text
    .replaceAll('tern', 'alder')
    .replaceAll(/ticket\/(hint|default|create)/g, (_, name: string) => `note/${name === 'hint' ? 'any' : name}`);
  const beside = JSON.parse(renamed) as { definitions: { 'callout-profile': Record<string, Json>[] } };
  const [profile] = beside.definitions['callout-profile'];
  const other = {
    ...profile,
    business_key: 'a/other',
    definition: { ...(profile?.['definition'] as object), base: 'http://other.example' },
  };
  beside.definitions['callout-profile'].push(other as Record<string, Json>);
  return beside as unknown as Json;
}
let desksSeen = 0;

describe('epoch views', () => {
  it('the same: con:INV-06 con:OCON-W con:OCON-M cat:INT-21 a newer pack generation, another mapping and another configuration are not looked at', async () => {
    const before = frozen(await load());
    expect(Object.values(before)).not.toContain(undefined);
    await schema.sql(
      `INSERT INTO pck_generation (storage_id, owner_pack, pack_version, payload_digest, manifest)
       SELECT CONCAT(storage_id, '9'), owner_pack, '9.9.9', UNHEX(SHA2(storage_id, 256)), manifest FROM pck_generation`,
    );
    await schema.sql(
      `INSERT INTO pck_definition (storage_id, kind, business_key, definition_version, definition, definition_digest)
       SELECT CONCAT(storage_id, '9'), kind, business_key, definition_version, '{}', definition_digest FROM pck_definition`,
    );
    await schema.sql('UPDATE cat_view_current SET catalog_revision = catalog_revision + 1');
    expect(frozen(await load())).toEqual(before);
  });

  it.each([
    ['HOUSE:epoch-view:DefinitionAbsent', "DELETE FROM pck_definition WHERE kind = 'inbound-route'"],
    ['HOUSE:epoch-view:DefinitionAbsent', "UPDATE pck_definition SET definition_version = '2' WHERE kind = 'field-mapping'"],
    ['HOUSE:epoch-view:DefinitionMismatch', "UPDATE pck_definition SET definition = '{}' WHERE kind = 'field-mapping'"],
    ['HOUSE:epoch-view:DefinitionMismatch', "UPDATE pck_definition SET definition_digest = REPEAT(0x00, 32) WHERE kind = 'push-contract'"],
    ['HOUSE:epoch-view:ConfigurationAbsent', 'DELETE FROM ctl_service_configuration'],
    [
      'HOUSE:epoch-view:ConfigurationMismatch',
      'UPDATE ctl_service_configuration SET document = REPLACE(document, \'"acme"\', \'"other"\')',
    ],
    ['HOUSE:epoch-view:ConfigurationMismatch', 'UPDATE ctl_service_configuration SET generation_digest = REPEAT(0x00, 32)'],
    ['HOUSE:connector:EpochGraphBroken', 'DELETE FROM con_epoch_binding WHERE ordinal = 0'],
  ])('%s: con:INV-06 a frozen part is not there or not the same, and nothing else is taken for it', async (code, change) => {
    await schema.sql(change);
    await expect(load()).rejects.toMatchObject({ code });
  });

  it('HOUSE:epoch-view:EpochAbsent: con:INV-06 the right epoch under another digest', async () => {
    const epoch = { epochId: demo.epochId, epochDigest: Digest.sha256(Buffer.from('other')) };
    await expect(new EpochViews(schema.db).of(epoch)).rejects.toMatchObject({ code: 'HOUSE:epoch-view:EpochAbsent' });
  });

  it('each its own: con:INV-06 cat:INT-21 route, version, mapping and credential of the account that asks, and nothing of its neighbour', async () => {
    const view = await load();
    const [source, desk] = [view.account(SOURCE), view.account(DESTINATION)];
    const [upsert, hint] = [source?.channel('hook')?.route, desk?.channel('hints')?.route];
    expect([upsert, hint].map((route) => route?.ref.businessKey)).toEqual(['contact/upsert', 'ticket/hint']);
    expect([view.route('contact/upsert', '1'), view.route('ticket/hint', '2')]).toEqual([upsert, hint]);
    expect([view.route('contact/upsert', '2'), view.route('ticket/hint', '1'), source?.channel('hints')]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    const hints = { hints: [{ entry_id: 'e', ticket_id: 't', revision: '4', status: 'open', updated_at: '2026-01-01T00:00:00Z' }] };
    const extraction = hint?.route.extract(DESTINATION, jcs(hints));
    const [item] = extraction?.kind === 'items' ? extraction.items : [];
    expect(item?.kind === 'item' && item.input.toString()).toBe('{"revision":"4","status":"open","ticketId":"t"}');
    expect([source, desk].map((account) => account?.credential('desk/api-token'))).toEqual([undefined, demo.credentialGenerationId]);
  });

  it('each its own: con:INV-06 cat:INT-20 of two epochs with equal rows, asked for by turns, each is the one that was asked for', async () => {
    const [views, later] = [new EpochViews(schema.db), await preparedBeside()];
    for (const epoch of [demo.source, later, demo.source, later]) {
      const { epochId, epochDigest } = await views.of(epoch);
      expect({ epochId, epochDigest }).toEqual({ epochId: epoch.epochId, epochDigest: epoch.epochDigest });
    }
  });

  it('each its own: con:INV-25 cat:INT-12 a push has the callout profile of its own pack, where another pack has one of the same name', async () => {
    await schema.reset();
    demo = await demoEpoch(schema, DEMO_POLICIES, [BESIDE], oncePerOwner);
    const view = await load();
    expect(['ticket/create', 'note/create'].map((push) => view.push(push)?.callout.base)).toEqual([
      'http://desk.tern.example',
      'http://desk.alder.example',
    ]);
  });

  it('loaded again: a failed load is not kept', async () => {
    const views = new EpochViews(schema.db);
    const [row] = await schema.sql(
      "SELECT definition FROM pck_definition WHERE kind = 'field-mapping' AND business_key = 'contact/default'",
    );
    const put = (definition: unknown) =>
      schema.sql("UPDATE pck_definition SET definition = ? WHERE kind = 'field-mapping' AND business_key = 'contact/default'", [
        definition,
      ]);
    await put('{}');
    await expect(views.of(demo.source)).rejects.toMatchObject({ code: 'HOUSE:epoch-view:DefinitionMismatch' });
    await put(row?.['definition']);
    expect((await views.of(demo.source)).accounts).toContain(SOURCE);
  });
});
