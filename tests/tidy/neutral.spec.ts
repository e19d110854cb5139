import { providerWords, vocabulary } from './checks/neutral';
import { planted, repository } from './repo';

const words = vocabulary([
  planted('libs/shipped-packs/lark-thing/fixtures/a.json', '{ "type": "gadget.updated" }'),
  planted('libs/shipped-packs/lark-thing/pack.json', '{}'),
]);
const at = (text: string, path = 'libs/connector/src/a.ts'): string[] =>
  providerWords([planted(path, text)], words).map((hit) => hit.split(': ')[1] ?? '');

describe('neutral', () => {
  it('named: planted names of packs, of their objects and of known providers, in every spelling', () => {
    expect(at('const larkClient = 1;')).toEqual(['lark']);
    expect(at('const HTTP_GADGET = 1;')).toEqual(['gadget']);
    expect(at("const table = 'con_ticket';")).toEqual(['ticket']);
    expect(at('SELECT contact_id FROM x', 'libs/schema/src/a.sql')).toEqual(['contact']);
    expect(at('if (provider === "HubSpot") {}')).toEqual(['hubspot']);
    expect(at('if (provider === "hubspot") {}')).toEqual(['hubspot']);
    expect(at('const hubspot = 1;', 'libs/security/src/a.ts')).toEqual(['hubspot']);
    expect(at("const table = 'cat_gadget';", 'libs/catalog/src/model/a.ts')).toEqual(['gadget']);
    expect(at('queryByApex(sobject);')).toEqual(['apex', 'sobject']);
    expect(at("const path = '/services/data/sobject';", 'libs/runtime/src/reads/a.ts')).toEqual(['sobject']);
    expect(at('class SalesforceFault {}', 'libs/services/outbound-dispatcher/src/a.ts')).toEqual(['salesforce']);
  });

  it('let be: identifiers that the seeds spell, words inside words, code above L0', () => {
    expect(at("const p = 'nexuscrm.connector-digest-profile.v2/projection', q = 'io.nexuscrm.layout-bundle-slot.v1';")).toEqual([]);
    expect(at('const pattern = 1; const misleading = 2;')).toEqual([]);
    expect(at('const crm = 1;', 'libs/packs/src/a.ts')).toEqual([]);
    expect(at('const app = "dev.tern.desk";', 'libs/catalog/src/model/a.spec.ts')).toEqual([]);
    expect(at('const converts = "the crm pack";', 'libs/catalog/src/model/conversion/mapping.ts')).toEqual([]);
  });

  it('none: L0, what it stands on, Runtime, its security and Catalog name no provider, no object and no event of one (con:INV-07, con:LAY-07, cat:INT-23, cat:CAP-04)', () => {
    expect(providerWords(repository(), vocabulary(repository()))).toEqual([]);
  });
});
