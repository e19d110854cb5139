import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
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
function frozen(view: EpochView): unknown {
  const { epochDigest, configurationId, configurationDigest } = view;
  const channel = view.account(SOURCE)?.channel('hook');
  const { packPayloadDigest, packGenerationStorageId } = view.push('ticket/open') ?? {};
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

describe('epoch views', () => {
  it('the same: con:INV-06 con:OCON-W con:OCON-M cat:INT-21 a newer pack generation, another mapping and another configuration are not looked at', async () => {
    const before = frozen(await load());
    expect(JSON.stringify(before, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain('undefined');
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
