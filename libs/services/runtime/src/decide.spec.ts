import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { ConfigurationId, CredentialGenerationId, EpochId } from '@connector/kernel/ids';
import type { Json, JsonObject } from '@connector/kernel/jcs';
import { routePolicyDigest } from '@connector/connector/model/digests/policy';
import { compileCallout } from '@connector/packs/engine/callout';
import { compilePush } from '@connector/packs/engine/push';
import type { CommandIntent, Handler, HandlerAnswer, RecordSeen } from '@connector/runtime/model/application';
import { effectOf, readRequest } from '@connector/runtime/model/authored-command';
import type { AccountView, EpochView, PushView } from '@connector/services/epoch-view/src/epoch-view';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import { decide, failedBy, wantedBy, type Case } from './decide';
import { resultDocuments } from './result-documents';

const EPOCH = { epochId: EpochId.mint(), epochDigest: Digest.sha256(Buffer.from('epoch')) };
const SERVED = { account: 'north/acme' as AccountName, accountPrefix: Buffer.from([1, 2, 3, 4]), fence: 7n as never, ...EPOCH };
const COMMAND = runtimeCommand(SERVED, Buffer.from('{"a":1}'));
const CREDENTIAL = CredentialGenerationId.mint();
const POLICIES = { attempts_max: 3 } as unknown as AccountView['policies'];

const DESK = join(__dirname, '../../../shipped-packs/tern-desk/pack.json');

/** The one definition of this kind in the pack that ships. */
function definitionOf(kind: string): Json {
  const pack = JSON.parse(readFileSync(DESK, 'utf8')) as { definitions: Record<string, { definition: Json }[]> };
  return pack.definitions[kind]?.[0]?.definition ?? null;
}

/** The desk's push contract, with a profile that honours keys where asked for. */
function pushView(idempotency: boolean): PushView {
  const shipped = definitionOf('callout-profile') as JsonObject;
  const profile = idempotency ? { ...shipped, idempotency: { header: 'idempotency-key', guarantee: 'replays' } } : shipped;
  const [push, callout] = [compilePush(definitionOf('push-contract'), profile), compileCallout(profile)];
  if (push.kind !== 'push' || callout.kind !== 'callout') throw new Error('not compiled');
  return {
    packGenerationStorageId: 'storage',
    packPayloadDigest: Digest.sha256(Buffer.from('payload')),
    businessKey: 'ticket/create',
    definitionVersion: '1',
    identity: Digest.sha256(Buffer.from('identity')),
    push,
    callout,
  };
}

function viewOf(idempotency = false): EpochView {
  const account = (name: string, credential: CredentialGenerationId | undefined): AccountView => ({
    account: name as AccountName,
    providerOrganization: 'acme',
    policies: POLICIES,
    channel: () => undefined,
    credential: (ref) => (ref === 'desk/api-token' ? credential : undefined),
  });
  const accounts = [account('tern/acme', CREDENTIAL), account('tern/bare', undefined)];
  return {
    ...EPOCH,
    scope: { organization: 'org', installation: 'inst', workload: 'work' },
    configurationId: ConfigurationId.mint(),
    configurationDigest: Digest.sha256(Buffer.from('configuration')),
    accounts: accounts.map((one) => one.account),
    account: (name) => accounts.find((one) => one.account === name),
    route: () => undefined,
    push: (key) => (key === 'ticket/create' ? pushView(idempotency) : undefined),
  };
}

const WANT = { collection: 'thing', key: 'a' };
const SEEN: RecordSeen = { ...WANT, version: 4n, value: { seq: 1 } };
const INTENT: CommandIntent = {
  intent: 'open-ticket',
  slot: 'ticket.create',
  account: 'tern/acme',
  effect: 'ticket/create',
  input: { subject: 's', external_ref: 'r', requester: 'q' },
};
const APPLIED: HandlerAnswer = { outcome: 'applied', changes: [{ ...WANT, value: { seq: 2 } }], commands: [INTENT] };

const handler = (over: Partial<Handler>): Handler => ({
  id: 'h',
  version: '1',
  reasons: ['not-today'],
  wants: () => [WANT],
  answer: () => APPLIED,
  ...over,
});
const caseOf = (over: Partial<Handler> = {}, view = viewOf(), command = COMMAND): Case => ({ command, view, handler: handler(over) });
const answering = (answer: HandlerAnswer, view = viewOf()) => decide(caseOf({ answer: () => answer }, view), [SEEN]);
/** Three of them fit into an input and into a body; as base64 they do not fit into a row. */
const LONG = 'x'.repeat(65_530);
const refusal = (code: string) => expect.objectContaining({ kind: 'refused', code });

describe('decide', () => {
  it('decided: con:OAU-W con:FDB-F an intent becomes a complete command of what the epoch froze', () => {
    const decided = answering(APPLIED);
    if (decided.kind !== 'decided') throw new Error(decided.code);
    const [command] = decided.commands;
    const view = viewOf();
    expect(command).toMatchObject({
      account: 'tern/acme',
      commandId: COMMAND.commandId,
      executionId: COMMAND.executionId,
      ...EPOCH,
      effectDefinition: 'ticket/create',
      effectSlot: 'ticket.create',
      credentialGenerationId: CREDENTIAL,
      routePolicyDigest: routePolicyDigest(pushView(false).identity, 'tern/acme', POLICIES).digest,
      providerKey: null,
    });
    const request = readRequest(command?.request as Buffer);
    expect([request.method, request.target, JSON.parse(request.body.toString('utf8'))]).toEqual(['POST', '/v1/tickets', INTENT.input]);
    const { scope } = view;
    const { executionId, commandId } = COMMAND;
    const authorship = { scope, executionId, commandId, account: 'tern/acme' as AccountName, intent: 'open-ticket', slot: 'ticket.create' };
    expect(command?.outboundCommandId).toBe(effectOf(authorship).effect.id);
  });

  it('decided: con:IDN-13 exactly one provider key where the frozen profile honours one: the command’s own id', () => {
    const decided = answering(APPLIED, viewOf(true));
    if (decided.kind !== 'decided') throw new Error(decided.code);
    expect(decided.commands.map(({ providerKey }) => providerKey)).toEqual(decided.commands.map((command) => command.outboundCommandId));
  });

  it('decided: con:OAU-O the same question gives the same bytes, ids and digests', () => {
    const view = viewOf();
    expect(decide(caseOf({}, view), [SEEN])).toEqual(decide(caseOf({}, view), [SEEN]));
  });

  it('decided: what a handler does to its question or to its records reaches neither the commit nor the next run', () => {
    const spoil: Handler['answer'] = ({ input }, [record]) => {
      Reflect.set(input as object, 'a', 2);
      Reflect.set(record as object, 'version', 99n);
      return { outcome: 'noop', changes: [], commands: [] };
    };
    const decided = decide(caseOf({ answer: spoil }), [SEEN]);
    expect(decided).toMatchObject({ kind: 'decided', records: [{ ...WANT, version: 4n }] });
    let seen: Json = null;
    wantedBy(caseOf({ wants: ({ input }) => ((seen = input), []) }));
    expect(seen).toEqual({ a: 1 });
  });

  it.each<[string, Partial<Handler>]>([
    ['handler-threw', { wants: () => JSON.parse('{') as never }],
    ['wants-invalid', { wants: () => [WANT, WANT] }],
    ['wants-invalid', { wants: () => Array.from({ length: 9 }, (_, index) => ({ ...WANT, key: String(index) })) }],
    ['wants-invalid', { wants: () => [{ ...WANT, key: 'ä'.repeat(128) }] }],
    ['wants-invalid', { wants: () => [{ ...WANT, collection: '' }] }],
  ])('refused: %s in what it wants', (code, over) => {
    expect(wantedBy(caseOf(over))).toEqual(refusal(code));
  });

  it('refused: input-not-json', () => {
    expect(wantedBy(caseOf({}, viewOf(), runtimeCommand(SERVED, Buffer.from('{'))))).toEqual(refusal('input-not-json'));
  });

  const many = (count: number): CommandIntent[] =>
    Array.from({ length: count }, (_, index) => ({ ...INTENT, slot: `s${index}`, account: `a/${index}` }));
  it.each<[string, Partial<HandlerAnswer>]>([
    ['outcome-unknown', { outcome: 'done' as never }],
    ['outcome-with-effects', { outcome: 'noop' }],
    ['outcome-with-effects', { outcome: 'rejected', changes: [] }],
    ['reason-invalid', { reason: 'not-today' }],
    ['reason-invalid', { outcome: 'noop', changes: [], commands: [], reason: 'not-today' }],
    ['reason-invalid', { outcome: 'failed', changes: [], commands: [] }],
    ['reason-invalid', { outcome: 'rejected', changes: [], commands: [], reason: 'ada@example.test' }],
    ['change-of-unread-record', { changes: [{ ...WANT, key: 'b', value: 1 }] }],
    ['change-of-unread-record', { changes: [...APPLIED.changes, ...APPLIED.changes] }],
    ['change-invalid', { changes: [{ ...WANT, value: Number.NaN }] }],
    ['change-too-large', { changes: [{ ...WANT, value: 'x'.repeat(262_143) }] }],
    ['too-many-commands', { commands: many(33) }],
    ['too-many-destinations', { commands: many(16) }],
    ['intent-twice', { commands: [INTENT, { ...INTENT, account: 'tern/bare' }] }],
    ['account-unknown', { commands: [{ ...INTENT, account: 'tern/nobody' }] }],
    ['effect-unknown', { commands: [{ ...INTENT, effect: 'ticket/close' }] }],
    ['intent-not-authored', { commands: [{ ...INTENT, intent: 'close-ticket' }] }],
    ['slot-not-authored', { commands: [{ ...INTENT, slot: 'main' }] }],
    ['credential-unknown', { commands: [{ ...INTENT, account: 'tern/bare' }] }],
    ['push-refused', { commands: [{ ...INTENT, input: { subject: 's' } }] }],
    ['request-too-large', { commands: [{ ...INTENT, input: { subject: LONG, external_ref: LONG, requester: LONG } }] }],
  ])('refused: con:OAU-P con:OAU-X %s in what it answers', (code, over) => {
    expect(answering({ ...APPLIED, ...over })).toEqual(refusal(code));
  });

  it.each(['rejected', 'failed'] as const)('decided: %s for one of the reasons that the handler declares (con:ARES-01)', (outcome) => {
    const decided = answering({ outcome, reason: 'not-today', changes: [], commands: [] });
    expect(decided).toMatchObject({ kind: 'decided', outcome, why: { reason: 'not-today', detail: null } });
    expect(answering(APPLIED)).toMatchObject({ kind: 'decided', why: null });
  });

  it('refused: what is over its limit is named with its size and the limit; a record of exactly the limit is not (PUB-ING-05)', () => {
    const changing = (length: number) => answering({ ...APPLIED, changes: [{ ...WANT, value: 'x'.repeat(length - 2) }] });
    expect(changing(262_144).kind).toBe('decided');
    expect(changing(262_145)).toEqual({
      kind: 'refused',
      code: 'change-too-large',
      detail: 'a record of 262145 bytes, at most 262144',
    });
    const requests = answering({ ...APPLIED, commands: [{ ...INTENT, input: { subject: LONG, external_ref: LONG, requester: LONG } }] });
    expect(requests).toMatchObject({ code: 'request-too-large', detail: expect.stringMatching(/^one of \d+ bytes, at most 262144$/) });
  });

  it('failed: why is kept as the row holds it, cut between two characters or through one', () => {
    const why = (detail: string) => failedBy({ kind: 'refused', code: 'push-refused', detail }).why;
    expect(why('x'.repeat(512))).toEqual({ reason: 'push-refused', detail: 'x'.repeat(512) });
    for (const detail of ['x'.repeat(513), 'ä'.repeat(300), `x${'\u{1f600}'.repeat(200)}`])
      expect(Buffer.byteLength(why(detail)?.detail ?? '')).toBeLessThanOrEqual(512);
  });

  it('refused: handler-threw, by its name and places; its message may quote the input and is not kept', () => {
    const threw = decide(
      caseOf({
        answer: () => {
          throw new TypeError('planted-canary');
        },
      }),
      [SEEN],
    );
    expect(threw).toMatchObject({
      kind: 'refused',
      code: 'handler-threw',
      detail: 'TypeError',
      places: expect.stringMatching(/^at .*decide\.spec/),
    });
    expect(JSON.stringify(threw)).not.toContain('planted-canary');
  });
});

describe('result documents', () => {
  it('con:ARES-F the result names command, ref, effects and record versions; the receipt names the result; no time, no chance', () => {
    const decided = answering(APPLIED);
    if (decided.kind !== 'decided') throw new Error(decided.code);
    const documents = resultDocuments(COMMAND, decided);
    expect(JSON.parse(documents.result.toString('utf8'))).toEqual({
      outcome: 'applied',
      command_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      execution_ref_digest: COMMAND.executionRefDigest,
      outbound_commands: decided.commands.map(({ idempotencyKey }) => idempotencyKey),
      record_changes: [{ ...WANT, version: '5' }],
    });
    expect(JSON.parse(documents.commitReceipt.toString('utf8'))).toMatchObject({ result_digest: documents.resultDigest });
    expect(resultDocuments(COMMAND, decided)).toEqual(documents);
  });
});
