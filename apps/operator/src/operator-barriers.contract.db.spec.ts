import { AttemptId, OperationId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { BARRIER_ACTS } from '@connector/services/operator/src/api/routes';
import { operator } from '@connector/services/operator/src/operator.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, SCOPE } from '@connector/testing/fixtures/demo-epoch';
import { heldAuthors } from '@connector/testing/fixtures/held-authors';
import { operationIds, servedContract, type OpenApiContract } from '@connector/testing/openapi-contract';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { coordinatorStandIn } from './coordinator-stand-in.fixture';

let schema: TestSchema;
let journal: TestSchema;
let home: TestHome;
let contract: OpenApiContract;
let cli: Calls;
let reader: Calls;
let attempt: AttemptId;
const running: RunningService[] = [];

beforeAll(async () => {
  [schema, journal, home] = await Promise.all([mainSchema(), journalSchema(), testHome()]);
  await tokensFor(home, 'operator', ['cli', 'reader']);
  await tokensFor(home, 'cutover-coordinator', ['operator']);
  await tokensFor(home, 'catalog', ['cutover-coordinator']);
  await tokensFor(home, 'control', ['cutover-coordinator']);
  await tokensFor(home, 'runtime', ['catalog']);
  const owner = await bootOn(catalog, schema, home);
  const asks = { CONNECTOR_CATALOG_URL: owner.url, CONNECTOR_JOURNAL_NAME: journal.database };
  const coordinator = await bootOn(cutoverCoordinator, schema, home, asks);
  const service = await bootOn(operator, schema, home, { CONNECTOR_COORDINATOR_URL: coordinator.url });
  running.push(owner, coordinator, service);
  contract = await servedContract(service, 'cli');
  [cli, reader] = [callsTo(service, 'cli', contract.accept), callsTo(service, 'reader', contract.accept)];
});
beforeEach(async () => {
  await schema.reset();
  attempt = await heldAuthors(schema.db, (await demoEpoch(schema)).epochId);
});
afterAll(async () => {
  for (const service of running.toReversed()) await service.stop();
  await Promise.all([schema.close(), journal.close()]);
  await home.remove();
});

const { organization, installation } = SCOPE;
const rows = () => [
  { owner: 'catalog', organization, installation, attempt_id: attempt, barrier_fence: '1' },
  { owner: 'packs', organization, installation: null, attempt_id: attempt, barrier_fence: '1' },
];
const planOf = (attempt_id: string = attempt, calls = cli) => calls.post('/v1/barriers/plan', { attempt_id });
const digestOf = async () => String((await planOf()).body['digest']);
const confirmation = (confirm: string, operation_id = OperationId.mint()) => ({
  ...{ attempt_id: attempt, confirm, operation_id, by: 'm.ortiz', reason: 'the node is gone' },
});
const release = (confirm: string, operation_id?: OperationId, calls = cli) =>
  calls.post('/v1/barriers/release', confirmation(confirm, operation_id));
const held = async () => (await reader.get('/v1/barriers')).body['rows'];
const said = ({ status, body }: Answered) => [status, body['code'], body['written']];
const holderFence = async () => String((await schema.sql('SELECT holder_fence FROM con_service'))[0]?.['holder_fence']);

/** In the list they stand before what was minted. */
async function othersHold(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const hold = [`other-${at}`, Buffer.from(at.toString(16).padStart(32, '0'), 'hex')];
    const columns = 'organization_id, attempt_id, state, barrier_fence, holder_fence';
    await schema.sql(`INSERT INTO pck_publication_barrier (${columns}) VALUES (?, ?, 'held', 1, 1)`, hold);
    await schema.sql(`INSERT INTO cat_publication_barrier (app_installation_id, ${columns}) VALUES ('i', ?, ?, 'held', 1, 1)`, hold);
  }
}

/** Why each barrier was released, as the audit tells it, latest first. */
const reasons = async () =>
  ((await reader.get(`/v1/audit/${organization}`)).body['rows'] as readonly { readonly door: string; readonly details: object }[])
    .filter(({ door }) => door.startsWith('release-'))
    .map(({ door, details }) => [door, (details as { readonly outcome?: string }).outcome]);

describe('contract › operator and barriers', () => {
  it('200: a plan names every barrier and says who is fenced off; its digest releases exactly these, and again is answered the same', async () => {
    expect(await held()).toEqual(rows());
    const { body } = await planOf();
    const named = `catalog of organization ${organization}, installation ${installation}, at fence 1`;
    expect(body).toMatchObject({
      plan: {
        ...{ verb: 'barriers.release', subject: attempt, rung: 2 },
        expected: { barriers: `${named}; packs of organization ${organization}, at fence 1` },
        steps: [
          `fence the run of ${attempt} off: from here on it can activate nothing any more`,
          `release the barrier of ${named}`,
          `release the barrier of packs of organization ${organization}, at fence 1`,
        ],
        then: expect.arrayContaining([expect.stringContaining(installation), `${organization} may register packs again`]),
      },
      ...{ estimate: { barriers: 2 }, confirm: `connector barriers release ${attempt} --reason "..." --confirm ${String(body['digest'])}` },
    });
    const [key, before] = [OperationId.mint(), await holderFence()];
    const first = await release(String(body['digest']), key);
    expect(first).toEqual({ status: 200, body: { kind: 'released', attempt_id: attempt, barriers: rows(), operation_id: key } });
    expect([await held(), await holderFence()]).toEqual([[], `${BigInt(before) + 1n}`]);
    expect(await release(String(body['digest']), key)).toEqual(first);
    expect(await reasons()).toEqual([
      ['release-pack-barrier', 'given up by m.ortiz: the node is gone'],
      ['release-barrier', 'given up by m.ortiz: the node is gone'],
    ]);
  });

  it('200: half of it was open already when the answer was lost: the same operation goes on, another one needs a plan of what is left', async () => {
    const [digest, key] = [await digestOf(), OperationId.mint()];
    await release(digest, key);
    await schema.sql("UPDATE pck_publication_barrier SET state = 'held', attempt_id = ?", [AttemptId.bytes(attempt)]);
    expect(said(await release(digest))).toEqual([409, 'HOUSE:operator:CatalogMoved', 'nothing']);
    expect(await held()).toEqual(rows().slice(1));
    expect(await release(digest, key)).toMatchObject({ status: 200, body: { barriers: rows() } });
    expect(await held()).toEqual([]);
  });

  it('200: cat:A-47 a pack barrier that is released alone says in the audit why', async () => {
    await schema.sql("UPDATE cat_publication_barrier SET state = 'open', attempt_id = NULL, receipt = NULL");
    expect(await release(await digestOf())).toMatchObject({ status: 200, body: { barriers: rows().slice(1) } });
    expect(await reasons()).toEqual([['release-pack-barrier', 'given up by m.ortiz: the node is gone']]);
  });

  it('200: more than 100 of an owner are held: it is said, and an attempt that is not shown is released all the same (cat:INT-17)', async () => {
    await othersHold(101);
    const { body } = await reader.get('/v1/barriers');
    expect([(body['rows'] as object[]).length, body['more'], JSON.stringify(body).includes(attempt)]).toEqual([200, true, false]);
    expect(await release(await digestOf())).toMatchObject({ status: 200, body: { barriers: rows() } });
    await schema.sql("DELETE FROM cat_publication_barrier WHERE organization_id = 'other-0'");
    await schema.sql("DELETE FROM pck_publication_barrier WHERE organization_id = 'other-0'");
    expect((await reader.get('/v1/barriers')).body).toMatchObject({ more: false });
  });

  it('409 CatalogMoved: cat:INT-17 it holds other barriers than the plan said: nothing is released, and no run is fenced off', async () => {
    const [digest, before] = [await digestOf(), await holderFence()];
    await schema.sql('UPDATE cat_publication_barrier SET barrier_fence = barrier_fence + 1');
    const answer = await release(digest);
    expect(said(answer)).toEqual([409, 'HOUSE:operator:CatalogMoved', 'nothing']);
    expect(answer.body).toMatchObject({
      expected: { plan: digest },
      actual: { plan: await digestOf(), barriers: expect.stringContaining('at fence 2; packs') },
    });
    expect([((await held()) as object[]).length, await holderFence()]).toEqual([2, before]);
  });

  it('409 CatalogMoved: the coordinator finds it moved since; 400: the key of another act is said by name', async () => {
    const standIn = await coordinatorStandIn();
    const alone = await bootOn(operator, schema, home, { CONNECTOR_COORDINATOR_URL: standIn.url });
    const calls = callsTo(alone, 'cli', contract.accept);
    const digest = await digestOf();
    standIn.answer = { status: 409, body: { kind: 'moved' } };
    const moved = await release(digest, undefined, calls);
    const { organization: place, ...asked } = { ...standIn.asked.at(-1), organization };
    standIn.answer = { status: 400, body: { code: 'HOUSE:connector:OperationReused', detail: 'it was used for halt-gate' } };
    const reused = await release(digest, undefined, calls);
    await alone.stop();
    await standIn.close();
    expect(said(moved)).toEqual([409, 'HOUSE:operator:CatalogMoved', 'nothing']);
    expect(asked).toMatchObject({
      ...{ path: '/v1/publication-barriers/release', attempt_id: attempt, by: 'm.ortiz', reason: 'the node is gone' },
      barriers: [
        { owner: 'catalog', organization: place, installation, barrier_fence: '1' },
        { owner: 'packs', organization: place, barrier_fence: '1' },
      ],
    });
    expect([reused.status, reused.body['code']]).toEqual([400, 'HOUSE:connector:OperationReused']);
  });

  it('404: an attempt that holds nothing says so, planned or confirmed; 400: a text that is no attempt', async () => {
    const nobody = AttemptId.mint();
    const planned = await planOf(nobody);
    expect([...said(planned), planned.body['detail']]).toEqual([
      ...[404, 'HOUSE:operator:NotFound', 'nothing'],
      `${nobody} holds no publication barrier, or none any more. Nothing was written.`,
    ]);
    const digest = await digestOf();
    await release(digest);
    expect(said(await release(digest))).toEqual([404, 'HOUSE:operator:NotFound', 'nothing']);
    expect((await planOf('nonsense')).status).toBe(400);
  });

  it('403: whoever may only read sees what is held, and neither plans nor releases', async () => {
    const digest = await digestOf();
    for (const answer of [await planOf(attempt, reader), await release(digest, undefined, reader)])
      expect([answer.status, answer.body['code']]).toEqual([403, 'HOUSE:http:CallerNotAllowed']);
    expect(await held()).toEqual(rows());
  });

  it('documented: every operation answered, as the document says', () => {
    expect(contract.unanswered(operationIds(BARRIER_ACTS))).toEqual([]);
  });
});
