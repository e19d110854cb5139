import { Webhook } from 'standardwebhooks';
import { bindingView, type ViewBinding } from '@connector/catalog/model/documents';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { finishRemoval } from '@connector/catalog/transitions/installation/finish-removal.tx';
import { readGate } from '@connector/connector/reads/serving/gates';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, SCOPE, SOURCE, wanted } from '@connector/testing/fixtures/demo-epoch';
import { Life } from '@connector/testing/fixtures/life';
import { publicationWorld } from '@connector/testing/fixtures/publication';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
let schema: TestSchema;
let home: TestHome;

beforeAll(async () => {
  [schema, home] = await Promise.all([mainSchema(), testHome()]);
  await home.secret('channel/larkspur/acme/hook', SECRET);
  await home.secret('channel/tern/acme/hints', 'github-secret');
  await tokensFor(home, 'catalog', ['cutover-coordinator']);
  await tokensFor(home, 'runtime', ['catalog']);
  await schema.reset();
  await demoEpoch(schema);
});
afterAll(async () => {
  await schema.close();
  await home.remove();
});

/** What one delivery becomes, to a service that knows nothing from before. */
async function delivered(id: string): Promise<unknown> {
  const service = await bootOn(ingress, schema, home, { CONNECTOR_POLL_MS: '50' });
  try {
    const body = JSON.stringify({ changes: [{ recordId: id, seq: 1, email: null, name: id }] });
    const [at, before] = [new Date(), await countOf(schema, 'con_execution')];
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) },
      'webhook-signature': new Webhook(SECRET).sign(id, at, body),
    };
    const { status } = await fetch(`${service.url}/v1/in/${SOURCE}/hook`, { method: 'POST', headers, body });
    return [status, (await countOf(schema, 'con_execution')) - before];
  } finally {
    await service.stop();
  }
}

/** Every definition of the epoch, as a verification asks for it. */
async function definitions(bindings: readonly ViewBinding[]): Promise<readonly unknown[]> {
  const service = await bootOn(catalog, schema, home);
  try {
    const { post } = callsTo(service, 'cutover-coordinator');
    const read = (one: ViewBinding) =>
      post(`/v1/binding-definitions/${one.kind}/read-exact`, {
        ...{ ...SCOPE, owner_pack: one.owner_pack, pack_installation: one.pack_installation_id, business_key: one.business_key },
        ...{ definition_version: one.definition_version, pack_payload_digest: one.pack_payload_digest },
      });
    return await Promise.all(bindings.map(read));
  } finally {
    await service.stop();
  }
}

describe('an epoch whose installation is removed', () => {
  it('202: cat:INT-13 con:DEFN-M con:INV-06 it is served as it was frozen, and each of its definitions is read byte for byte', async () => {
    const current = await readCurrentView(schema.db, SCOPE, 0n);
    if (current.kind !== 'found') throw new RangeError(current.kind);
    const { bindings } = bindingView.parse(current.viewBytes).value;
    const [before, gate] = [await definitions(bindings), await readGate(schema.db, SOURCE)];
    expect(before.map((answer) => (answer as { status: number }).status)).toEqual(bindings.map(() => 200));
    expect(await delivered('r1')).toEqual([202, 1]);

    await wanted(schema.db, [], current.lineage.catalogRevision);
    const { organization, installation } = SCOPE;
    const life = new Life(schema, await publicationWorld(schema), installation, organization);
    await life.withdrawn();
    expect(await finishRemoval(schema.db, { organization, installation })).toEqual({ kind: 'removed' });

    expect(await readCurrentView(schema.db, SCOPE, 0n)).toMatchObject({ kind: 'absent' });
    expect(await definitions(bindings)).toEqual(before);
    expect(await readGate(schema.db, SOURCE)).toEqual(gate);
    expect(await delivered('r2')).toEqual([202, 1]);
  });
});
