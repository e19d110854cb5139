import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import { CredentialGenerationId, type ExecutionId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import type { CliIo } from '@connector/services/cli/src/io';
import { control } from '@connector/services/control/src/control.service';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { operator } from '@connector/services/operator/src/operator.service';
import { tokensFor } from '@connector/testing/calls';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, DESTINATION, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { underOneKey } from '@connector/testing/fixtures/conflict';
import { readyExecutions } from '@connector/testing/fixtures/execution';
import {
  authored,
  granted,
  type HeldPermit,
  registered,
  sending,
  settlement,
  terminated,
  UNCERTAIN,
} from '@connector/testing/fixtures/outbound';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { type Ran, ranIn } from './ran-in.fixture';

let schema: TestSchema;
let journal: TestSchema;
let secrets: TestHome;
let epoch: DemoEpoch;
let home: string;
const running: RunningService[] = [];

const connector = (line: string, over: Partial<CliIo> = {}): Promise<Ran> => ranIn(home, line, over);
const json = async (line: string): Promise<Record<string, unknown>> =>
  JSON.parse((await connector(`${line} --json`)).out) as Record<string, unknown>;

async function writeRun(urls: Readonly<Record<string, string>>): Promise<void> {
  const services = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url, pid: 4_000_000, generation: 'gen_x' }]));
  const engine = { kind: 'mariadb', version: '10.11', source: 'given' };
  await writeFile(join(home, 'run.json'), JSON.stringify({ services, secrets_dir: secrets.dir, engine }), { mode: 0o600 });
}

beforeAll(async () => {
  schema = await mainSchema();
  journal = await journalSchema();
  secrets = await testHome();
  await tokensFor(secrets, 'operator', ['cli']);
  await tokensFor(secrets, 'cutover-coordinator', ['operator']);
  await tokensFor(secrets, 'catalog', ['cutover-coordinator']);
  await tokensFor(secrets, 'control', ['cutover-coordinator', 'operator']);
  await secrets.secret('channel/larkspur/acme/hook', `whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  const journalName = { CONNECTOR_JOURNAL_NAME: journal.database };
  const coordinator = await bootOn(cutoverCoordinator, schema, secrets, { CONNECTOR_POLL_MS: '20', ...journalName });
  running.push(coordinator);
  const authority = await bootOn(control, schema, secrets);
  running.push(authority);
  const urls = { CONNECTOR_COORDINATOR_URL: coordinator.url, CONNECTOR_CONTROL_URL: authority.url };
  running.push(await bootOn(operator, schema, secrets, urls));
  running.push(await bootOn(ingress, schema, secrets));
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'connector-home-'));
  await writeRun(Object.fromEntries(running.map(({ name, url }) => [name, url])));
  await schema.reset();
  epoch = await demoEpoch(schema);
});
afterEach(() => rm(home, { recursive: true }));
afterAll(async () => {
  for (const service of running.toReversed()) await service.stop();
  await schema.close();
  await journal.close();
  await secrets.remove();
});

const execution = async (): Promise<ExecutionId> => (await readyExecutions(schema, epoch.source, ['k']))[0] as ExecutionId;
async function permit(): Promise<string> {
  const holder = await registered(schema);
  await authored(schema, epoch.destination, 1, epoch.credentialGenerationId);
  const [held] = await granted(schema.db, epoch.destination, holder);
  await terminated(schema, holder.generationId);
  return held?.permitId ?? '';
}

/** A call of which nobody knows, under the key that its provider knows it by. */
async function unknownCall(sequence: number, provider_key: string | null): Promise<HeldPermit> {
  const holder = await registered(schema, `egress-${sequence}`);
  await authored(schema, epoch.destination, sequence, epoch.credentialGenerationId, { provider_key });
  const [permit] = (await granted(schema.db, epoch.destination, holder)) as [HeldPermit];
  const token = await sending(schema.db, holder, epoch.credentialGenerationId, [permit]);
  await settlePermits(schema.db, settlement(epoch.destination, holder, token, [permit], { ...UNCERTAIN, status: 502 }));
  return permit;
}

describe('connector reads', () => {
  it('0: status is one screen, and a document with --json', async () => {
    const { code, out } = await connector('status');
    expect(code).toBe(0);
    expect(out).toContain('wake-ups  not known: there is no token for the claimant');
    for (const text of ['mariadb 10.11 given', SOURCE, 'v2_serving', `${epoch.epochId} active`]) expect(out).toContain(text);
    expect(await json('status')).toMatchObject({ epochs: [{ id: epoch.epochId, state: 'active' }] });
  });

  it('8: explain of a row that waits says why, whose move it is, when somebody is told, and what will not help', async () => {
    const id = await execution();
    const { code, out } = await connector(`explain ${id}`);
    expect(code).toBe(8);
    for (const text of [
      `Execution ${id} is ready`,
      'NOT_PICKED_UP',
      'machine: it goes on by itself',
      'platform',
      '(somebody is told; nothing is released)',
      'connector status',
      'polling finds the row',
      `execution.row of ${id}   1 row`,
      'gate larkspur/acme v2_serving',
    ]) {
      expect(out).toContain(text);
    }
    expect(await json(`explain exe_${id.slice(-6)}`)).toMatchObject({ verdict: 'waiting', reason: { code: 'NOT_PICKED_UP' } });
  });

  it('9 and 0: explain of a permit whose holder is not proved, and of an account that serves', async () => {
    expect(await connector(`explain ${await permit()}`)).toMatchObject({ code: 9 });
    expect(await connector(`explain account/${SOURCE}`)).toMatchObject({ code: 0, out: expect.stringContaining('nothing is owed') });
  });

  it('0: lineage draws the tree of any id', async () => {
    const { code, out } = await connector(`lineage ${await execution()}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^rcp_\S+ {2}Receipt/);
    expect(out).toMatch(/└─ evt_\S+ {2}#0 Event/);
    expect(out).toMatch(/└─ exe_\S+ {2}Execution · not claimed +ready/);
    expect(out).toContain('1 event · 1 waiting');
  });

  it('0: other bytes under the key of a receipt are shown with it, in the list and in its tree (PUB-ING-07)', async () => {
    const [one, other] = await underOneKey(schema.db, epoch.source, 'msg_c1', ['one', 'other bytes']);
    expect((await connector('receipts list')).out).toMatch(/STATE +CONFLICTS +ADMITTED_AT\n.* msg_c1 +materialized +1 +/);
    const { out } = await connector(`lineage ${one?.receiptId ?? ''}`);
    expect(out).toMatch(
      new RegExp(`└─ Conflict {2}other bytes under the same key · 11 B +refused +\\S+ ms +${other?.payloadDigest ?? ''}, `),
    );
    expect(out).toContain('1 event · 1 conflicting · 1 waiting');
  });

  it('0: lists and rows, by state; nothing listed is said in words', async () => {
    const id = await execution();
    expect((await connector('executions list --state ready')).out).toContain(id);
    expect((await connector(`executions get ${id}`)).out).toMatch(/state +ready/);
    expect((await connector('effects list')).out).toBe('no effects');
    expect((await connector(`accounts get ${SOURCE}`)).out).toContain('webhook-id');
  });

  it('0: the effects of which nobody knows, with what is known of each and what may be done (PUB-OUT-02)', async () => {
    const [one, two] = [await unknownCall(1, null), await unknownCall(2, 'key-of-the-call')];
    const { code, out } = await connector('effects list --state uncertain');
    expect(code).toBe(0);
    for (const text of [
      `${one.effectId}  ${DESTINATION}  uncertain since `,
      `Attempt   1 · ${two.permitId}`,
      `Seen      ${UNCERTAIN.detail}   at `,
      'Key       none: the provider tells two calls apart by nothing',
      'Key       key-of-the-call',
      'You may   · find out at the provider whether it happened and keep the proof:  connector lineage <effect>',
      'Will not  · asking for the same intent again',
    ])
      expect(out).toContain(text);
    const page = await json('effects list --state uncertain');
    const known = { last_permit_id: two.permitId, last_status: 502, last_detail: UNCERTAIN.detail, provider_key: 'key-of-the-call' };
    expect((page['rows'] as unknown[])[0]).toMatchObject({ effect_id: two.effectId, state: 'uncertain', ...known });
    expect(page).toMatchObject({ next: null, may: [{ kind: 'append_evidence', command: 'connector lineage <effect>' }] });
    expect((await connector('effects list --state uncertain --limit 1')).out).toContain(
      `older: connector effects list --state uncertain --limit 1 --after ${two.effectId}`,
    );
    expect((await connector(`effects get ${one.effectId}`)).out).toMatch(/last_detail +reset before the head/);
    expect((await connector('effects list --state no_effect')).out).toBe('no effects');
    expect((await connector('status')).out).toMatch(/uncertain +2/);
  });

  it('5 and 2: no row, no such state, no such command, each with what to do', async () => {
    const absent = await connector('explain exe_000000');
    expect([absent.code, absent.out]).toEqual([5, '']);
    expect(absent.err).toContain('Do       connector receipts list');
    expect(await connector('permits list --state expired')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Allowed choices are open'),
    });
    expect(await connector('statu')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean status?') });
    expect(await connector('executions get nothing')).toMatchObject({ code: 2 });
  });

  it('7: nothing runs here, or nothing answers there; the way on is npm start', async () => {
    const gone = createServer();
    await new Promise<void>((ready) => void gone.listen(0, '127.0.0.1', ready));
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => void gone.close(closed));
    await writeRun({ operator: `http://127.0.0.1:${port}` });
    expect(await connector('status')).toMatchObject({ code: 7, err: expect.stringContaining('Do       npm start') });
    await rm(join(home, 'run.json'));
    expect(await connector('status')).toMatchObject({ code: 7, err: expect.stringContaining('npm start') });
  });
});

describe('connector plans and confirms', () => {
  const digestOf = async (verb: string): Promise<string> => String((await json(`accounts ${verb} ${DESTINATION} --plan`))['digest']);

  it('0: halt by a plan and its digest; then it is not there to be confirmed again', async () => {
    const plan = await connector(`accounts halt ${DESTINATION} --plan`);
    expect(plan).toMatchObject({ code: 0, out: expect.stringContaining('gate v2_serving -> halting_v2, fence 1 -> 2') });
    expect(plan.out).toContain('there is no way back from halting itself');
    const digest = await digestOf('halt');
    const halted = await connector(`accounts halt ${DESTINATION} --reason "duplicate charges" --confirm ${digest}`);
    expect([halted.code, halted.err]).toEqual([0, '']);
    expect(halted.out).toContain(`${DESTINATION} is halting, fence 2.`);
    expect((await connector(`explain account/${DESTINATION}`)).code).toBe(9);
    const again = await connector(`accounts halt ${DESTINATION} --reason "duplicate charges" --confirm ${digest}`);
    expect(again.code).toBe(6);
  });

  it('6: a plan that was overtaken is refused with both values, and nothing is written', async () => {
    const digest = await digestOf('halt');
    await schema.sql('UPDATE con_serving_gate SET fence = fence + 1, changed_by = ?', ['d.ito']);
    const { code, err } = await connector(`accounts halt ${DESTINATION} --reason "duplicate charges" --confirm ${digest}`);
    expect(code).toBe(6);
    expect(err).toContain('The plan no longer fits, so nothing was done.');
    expect(err).toContain('Expected mode v2_serving, fence 1');
    expect(err).toMatch(/Found {4}mode v2_serving, fence 2, by d.ito/);
    expect(await schema.sql("SELECT account FROM con_serving_gate WHERE mode <> 'v2_serving'")).toEqual([]);
  });

  it('0: a person who types the account confirms what was shown; 3: who types another thing does not', async () => {
    const person = { interactive: true, ask: (question: string) => Promise.resolve(question.includes(DESTINATION) ? DESTINATION : '') };
    const done = await connector(`accounts halt ${DESTINATION} --reason "duplicate charges"`, person);
    expect([done.code, done.err]).toEqual([0, expect.stringContaining('lock the gate of tern/acme')]);
    const other = await connector(`accounts halt ${SOURCE} --reason "duplicate charges"`, { ...person, ask: () => Promise.resolve('yes') });
    expect(other).toMatchObject({ code: 3, err: expect.stringContaining('Not done: "yes" was typed, expected larkspur/acme.') });
  });

  it('2: without a person neither --plan nor --confirm is no act; a reason is required', async () => {
    expect(await connector(`accounts halt ${DESTINATION} --reason "x"`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Nobody can be asked here'),
    });
    const digest = await digestOf('halt');
    expect(await connector(`accounts halt ${DESTINATION} --confirm ${digest}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--reason is required'),
    });
    expect(await connector(`accounts halt ${DESTINATION} --plan --confirm ${digest}`)).toMatchObject({ code: 2 });
  });

  it('3: what a rule refuses is refused with its reason: resume of an account that serves, abandon without both proofs', async () => {
    expect(await connector(`accounts resume ${DESTINATION} --plan`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('resume needs v2_halted'),
    });
    const { code, err } = await connector(`permits abandon ${await permit()} --plan`);
    expect(code).toBe(3);
    expect(err).toContain('stays open: both proofs of its holder are needed');
    expect(err).toContain('isolation is not proved');
    expect(err).toContain('Do not   waiting for a lease to end');
  });

  it('10: an answer that never came is unknown; the same key is printed, was used for every try, and is taken again', async () => {
    const keys: unknown[] = [];
    const silent = createServer((request) => {
      request.on('data', (chunk: Buffer) => void keys.push((JSON.parse(chunk.toString()) as { operation_id?: unknown }).operation_id));
      request.on('end', () => request.socket.destroy());
    });
    await new Promise<void>((ready) => void silent.listen(0, '127.0.0.1', ready));
    await writeRun({ operator: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    const digest = `sha256:${'0'.repeat(64)}`;
    const { code, err } = await connector(`accounts halt ${DESTINATION} --reason "x" --confirm ${digest}`);
    const key = /--idempotency-key (opn_\w+)/.exec(err)?.[1];
    expect([code, new Set(keys)]).toEqual([10, new Set([key])]);
    expect(keys.length).toBeGreaterThan(1);
    keys.length = 0;
    await connector(`accounts halt ${DESTINATION} --reason "x" --confirm ${digest} --idempotency-key ${key ?? ''}`);
    expect(new Set(keys)).toEqual(new Set([key]));
    await new Promise((closed) => void silent.close(closed));
  });
});

describe('connector credentials', () => {
  const planOf = async (words: string): Promise<string> => String((await json(`credentials ${words} --plan`))['digest']);

  it('0: list, get, revoke by a plan and its digest, reenable by another; 6: neither is there to be confirmed again', async () => {
    const id = epoch.credentialGenerationId;
    expect((await connector('credentials list --state enabled')).out).toContain(id);
    const plan = await connector(`credentials revoke ${id} --plan`);
    for (const text of ['gate enabled -> revoked, fence 1 -> 2', 'nothing revives by itself', 'not_recalled none', 'credentials reenable'])
      expect(plan.out).toContain(text);
    const digest = await planOf(`revoke ${id}`);
    const revoked = await connector(`credentials revoke ${id} --reason "leaked in a ticket" --confirm ${digest}`);
    expect(revoked).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`${id} is revoked, fence 2.`) });
    expect((await connector(`credentials get ${id}`)).out).toContain('leaked in a ticket');
    const why = await connector(`explain ${id}`);
    expect([why.code, why.out]).toEqual([9, expect.stringContaining('by m.ortiz: leaked in a ticket')]);
    expect((await connector(`credentials revoke ${id} --reason "again" --confirm ${digest}`)).code).toBe(6);
    const back = await connector(
      `credentials reenable ${id} --reason "rotated at the provider" --confirm ${await planOf(`reenable ${id}`)}`,
    );
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining(`${id} is reenabled, fence 3.`) });
  });

  it('3: reenabling after a final revocation, and what is not revoked; 2: a reason is required; 5: no such generation', async () => {
    const id = epoch.credentialGenerationId;
    expect(await connector(`credentials reenable ${id} --plan`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('reenable needs revoked'),
    });
    const digest = await planOf(`revoke ${id} --final`);
    expect(await connector(`credentials revoke ${id} --confirm ${digest}`)).toMatchObject({ code: 2 });
    expect((await connector(`credentials revoke ${id} --reason "leaked" --confirm ${digest}`)).code).toBe(0);
    expect(await connector(`credentials reenable ${id} --plan`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('revoked for good'),
    });
    expect((await connector(`credentials get ${CredentialGenerationId.mint()}`)).code).toBe(5);
  });
});

describe('connector send', () => {
  it('0: a signed fixture becomes a receipt, twice as two changes, and with --same as one that is known', async () => {
    const first = await connector('send larkspur-crm one-contact');
    expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^202 accepted as rcp_\w{26}\n {2}Next {5}connector lineage rcp_/) });
    await connector('send larkspur-crm one-contact --same --count 2');
    const [events] = await schema.sql('SELECT COUNT(*) AS n FROM con_event');
    const [receipts] = await schema.sql('SELECT COUNT(*) AS n FROM con_receipt');
    expect([Number(events?.['n']), Number(receipts?.['n'])]).toEqual([2, 3]);
    expect(await json('send larkspur-crm one-contact')).toMatchObject({
      account: SOURCE,
      deliveries: [{ status: 202, body: { kind: 'admitted' } }],
    });
  });

  it('7: a halted account takes nothing; 5: a fixture that is not there, with those that are', async () => {
    await schema.sql("UPDATE con_serving_gate SET mode = 'v2_halted'");
    expect(await connector('send larkspur-crm one-contact')).toMatchObject({
      code: 7,
      err: expect.stringContaining('does not admit deliveries now'),
    });
    const absent = await connector('send larkspur-crm two-contacts');
    expect([absent.code, absent.err]).toEqual([5, expect.stringContaining('Fixtures no-changes, one-bad-among-neighbours')]);
    expect(await connector('send larkspur-crm ../pack')).toMatchObject({ code: 5 });
    expect(await connector('send larkspur one-contact')).toMatchObject({
      code: 5,
      err: expect.stringContaining('larkspur-crm, tern-desk'),
    });
  });
});

describe('connector dev', () => {
  it('3, 2, 0: reset refuses while something runs, asks a person, and wipes its own folder and nothing else', async () => {
    await writeFile(join(home, 'supervisor.jsonl'), '');
    expect(await connector('dev reset --yes', { isAlive: () => true })).toMatchObject({
      code: 3,
      err: expect.stringContaining('operator, ingress still run'),
    });
    expect(await connector('dev reset')).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') });
    expect(await connector('dev reset', { interactive: true, ask: () => Promise.resolve('no') })).toMatchObject({ code: 3 });
    await writeFile(join(home, 'holiday.jpg'), '');
    expect(await connector('dev reset --yes')).toMatchObject({
      code: 3,
      err: expect.stringContaining('holiday.jpg, which npm start did not make'),
    });
    await rm(join(home, 'holiday.jpg'));
    expect(await connector('dev reset --yes')).toMatchObject({ code: 0, out: expect.stringContaining('wiped run.json, supervisor.jsonl') });
    expect(await readdir(home)).toEqual([]);
  });

  it('0: ps shows what lives and what ended', async () => {
    expect((await connector('dev ps')).out).toMatch(/operator +ended/);
    expect((await connector('dev ps', { isAlive: () => true })).out).toMatch(/operator +ready/);
  });
});

describe('connector help', () => {
  it('0: teaches by examples, names every exit code and every reason', async () => {
    const top = await connector('--help');
    expect(top.code).toBe(0);
    expect(top.out).toContain('See what an integration does, ask why it waits, stop an account.');
    expect(top.out).toContain('connector send larkspur-crm one-contact');
    const codes = await connector('help exit-codes');
    expect(codes.out).toContain('10  outcome unknown: it may have been carried out');
    const reasons = await connector('help reasons');
    for (const text of ['EFFECT_UNCERTAIN   safety · outbound-operators', 'will not   asking for the same intent again'])
      expect(reasons.out).toContain(text);
    expect((await connector('help accounts halt')).out).toContain('exactly that plan, or nothing');
    expect(await connector('help nonsense')).toMatchObject({ code: 2 });
  });
});
