import {
  CONTACTS,
  TICKETS,
  PROXY_TOKEN,
  call,
  control,
  head,
  ledger,
  ledgerWhen,
  makeDir,
  plan,
  raw,
  removeDir,
  start,
  state,
  stop,
} from './simulator-bench.fixture';

beforeEach(async () => {
  makeDir();
  await start();
});
afterEach(async () => {
  await stop();
  removeDir();
});

describe('tickets', () => {
  it('executed: every POST makes a ticket, also the same one again, and the search by external_ref finds both', async () => {
    const first = await call(TICKETS, 'POST', '/v1/tickets', { subject: 'a', external_ref: 'r1' });
    const second = await call(TICKETS, 'POST', '/v1/tickets', { subject: 'a', external_ref: 'r1' });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect([first.body['id'], second.body['id']]).toEqual(['tck_000001', 'tck_000002']);
    const found = await call(TICKETS, 'GET', '/v1/tickets?external_ref=r1');
    expect(found).toMatchObject({ status: 200, body: { tickets: [{ id: 'tck_000001' }, { id: 'tck_000002' }] } });
    expect((await call(TICKETS, 'GET', '/v1/tickets?external_ref=other')).body).toEqual({ tickets: [] });
    expect((await call(TICKETS, 'GET', '/v1/tickets/tck_000002')).body).toEqual(second.body);
  });

  it.each([
    ['POST', '/v1/tickets', '[1]', 400],
    ['POST', '/v1/tickets', '{"a":1,"a":2}', 400],
    ['GET', '/v1/tickets', undefined, 400],
    ['GET', '/v1/tickets/tck_000009', undefined, 404],
    ['DELETE', '/v1/tickets', undefined, 404],
    ['POST', '/contacts/1', '{}', 404],
  ] as const)('answers %s %s with %s by a refusal and executes nothing', async (method, path, body, status) => {
    expect((await call(TICKETS, method, path, body)).status).toBe(status);
    expect(await ledger()).toMatchObject([{ status, executed: false }]);
  });
});

describe('contacts', () => {
  it('executed once: the same key with the same request is answered alike, and another request under it with 422', async () => {
    const key = { 'idempotency-key': 'k1' };
    const first = await call(CONTACTS, 'PATCH', '/contacts/c1', { email: 'a' }, key);
    await call(CONTACTS, 'PATCH', '/contacts/c1', { email: 'b' });
    const again = await call(CONTACTS, 'PATCH', '/contacts/c1', { email: 'a' }, key);
    expect(first).toMatchObject({ status: 200, body: { id: 'c1', email: 'a' } });
    expect(again.body).toEqual(first.body);
    expect((await call(CONTACTS, 'PATCH', '/contacts/c2', { email: 'a' }, key)).status).toBe(422);
    expect((await call(CONTACTS, 'PATCH', '/contacts/c1', '{"email": "a"}', key)).status).toBe(422);
    expect((await call(CONTACTS, 'GET', '/contacts/c1')).body).toEqual({ id: 'c1', email: 'b' });
    expect((await ledger()).map(({ executed, replayed, status }) => [executed, replayed, status])).toEqual([
      [true, false, 200],
      [true, false, 200],
      [false, true, 200],
      [false, false, 422],
      [false, false, 422],
      [false, false, 200],
    ]);
    expect((await state()).hosts[0]).toMatchObject({ host: CONTACTS, recordCount: 1, calls: [{ key: 'k1', calls: 4, executed: 1 }] });
  });

  it.each([
    ['GET', '/contacts/none', undefined, 404],
    ['POST', '/contacts/c1', '{}', 405],
    ['PATCH', '/contacts/c1', 'x', 400],
    ['PATCH', '/contacts/a/b', '{}', 404],
  ] as const)('answers %s %s with %s by a refusal and executes nothing', async (method, path, body, status) => {
    expect((await call(CONTACTS, method, path, body)).status).toBe(status);
    expect(await ledger()).toMatchObject([{ status, executed: false }]);
  });
});

describe('faults', () => {
  const ticket = (reference: string): Promise<unknown> => call(TICKETS, 'POST', '/v1/tickets', { external_ref: reference });

  it('500-before: not executed; the same call again is the first one for the provider', async () => {
    await plan(TICKETS, '500-before');
    expect(await ticket('r')).toMatchObject({ status: 500 });
    expect(await ticket('r')).toMatchObject({ status: 201, body: { id: 'tck_000001' } });
    expect(await ledger()).toMatchObject([
      { fault: '500-before', executed: false, status: 500, key: 'r' },
      { fault: null, executed: true, status: 201, key: 'r' },
    ]);
  });

  it('500-after: executed and answered 500; where keys are honoured the same key again gets the true answer', async () => {
    await plan(TICKETS, '500-after');
    await plan(CONTACTS, '500-after');
    expect(await ticket('r')).toMatchObject({ status: 500 });
    expect((await call(TICKETS, 'GET', '/v1/tickets?external_ref=r')).body).toMatchObject({ tickets: [{ id: 'tck_000001' }] });
    const patch = (): Promise<unknown> => call(CONTACTS, 'PATCH', '/contacts/c', { a: 1 }, { 'idempotency-key': 'k' });
    expect(await patch()).toMatchObject({ status: 500 });
    expect(await patch()).toMatchObject({ status: 200, body: { id: 'c', a: 1 } });
    expect((await state()).hosts.map(({ recordCount }) => recordCount)).toEqual([1, 1]);
  });

  it('422: not executed, refused for good', async () => {
    await plan(TICKETS, '422');
    expect(await ticket('r')).toMatchObject({ status: 422 });
    expect(await ledger()).toMatchObject([{ fault: '422', executed: false, status: 422 }]);
  });

  it('other-id: executed, and answered with the id of the oldest record', async () => {
    await ticket('first');
    await plan(TICKETS, 'other-id');
    expect(await ticket('second')).toMatchObject({ status: 201, body: { id: 'tck_000001', external_ref: 'second' } });
    expect((await state()).hosts.find(({ host }) => host === TICKETS)).toMatchObject({ recordCount: 2 });
  });

  it('429: not executed, with Retry-After in whole seconds', async () => {
    await plan(TICKETS, '429', { ms: 1_500 });
    expect(await ticket('r')).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    expect(await ledger()).toMatchObject([{ executed: false, status: 429 }]);
  });

  it('reset-mid-body: executed, a head of success, half a body, then a reset', async () => {
    await plan(TICKETS, 'reset-mid-body');
    const body = '{"external_ref":"r"}';
    const socket = await raw(head(TICKETS, '/v1/tickets', body.length) + body);
    let read = '';
    socket.on('data', (chunk) => (read += String(chunk)));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(read).toMatch(/^HTTP\/1\.1 201 /);
    const [answerHead = '', part = ''] = read.split('\r\n\r\n');
    expect(part.length).toBeLessThan(Number(/content-length: (\d+)/i.exec(answerHead)?.[1]));
    expect(part.length).toBeGreaterThan(0);
    expect(await ledger()).toMatchObject([{ fault: 'reset-mid-body', executed: true, status: 201, answer: 'cut' }]);
  });

  it('slow: executed at once, answered after its time', async () => {
    await plan(TICKETS, 'slow', { ms: 60 });
    const began = performance.now();
    const answering = ticket('r');
    await ledgerWhen(([entry]) => entry?.executed === true && entry.answer === 'none');
    expect(await answering).toMatchObject({ status: 201 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(59);
  });

  it('slow: a caller that goes away is not answered, and what it asked for stays done', async () => {
    await plan(TICKETS, 'slow', { ms: 60_000 });
    const socket = await raw(`${head(TICKETS, '/v1/tickets', 2)}{}`);
    await ledgerWhen(([entry]) => entry?.executed === true);
    socket.destroy();
    expect(await ledgerWhen(([entry]) => entry?.answer === 'cut')).toMatchObject([{ executed: true, status: null }]);
  });

  it('are for one host, as many calls as planned, first planned first met', async () => {
    await plan(TICKETS, '500-before', { times: 2 });
    await plan(TICKETS, '429');
    expect((await call(CONTACTS, 'PATCH', '/contacts/c', {})).status).toBe(200);
    expect((await state()).faults).toHaveLength(2);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await call(TICKETS, 'POST', '/v1/tickets', {})).status);
    expect(statuses).toEqual([500, 500, 429, 201]);
    expect((await state()).faults).toEqual([]);
  });
});

describe('the door', () => {
  it.each([
    ['without the token of the proxy', {}],
    ['with another token', { 'x-egress-proxy-token': 'another' }],
  ])('refused with 403 and in the ledger, nothing executed, no fault used up: %s', async (_how, headers) => {
    await plan(TICKETS, '500-before');
    const without = { ...headers, ...('x-egress-proxy-token' in headers ? {} : { 'x-egress-proxy-token': '' }) };
    expect((await call(TICKETS, 'POST', '/v1/tickets', { external_ref: 'r' }, without)).status).toBe(403);
    expect(await ledger()).toMatchObject([{ request: 'refused', status: 403, executed: false, fault: null, body: '' }]);
    expect((await state()).faults).toHaveLength(1);
  });

  it('is by host: no path of a provider reaches the controls, and another host reaches no provider', async () => {
    expect((await call(TICKETS, 'POST', '/_control/reset', {}, { authorization: 'Bearer token-of-the-test-itself' })).status).toBe(404);
    expect((await call('127.0.0.1', 'POST', '/v1/tickets', {}, { authorization: 'Bearer token-of-the-test-itself' })).status).toBe(404);
    expect(await ledger()).toHaveLength(1);
  });
});

describe('the ledger', () => {
  it('holds what arrived byte for byte, and no credential', async () => {
    const body = '{ "external_ref" : "r\u00e9" }\n';
    const headers = { authorization: 'Bearer canary-1', 'x-api-key': 'canary-2', cookie: 'c=canary-3', 'idempotency-key': 'k' };
    await call(TICKETS, 'POST', '/v1/tickets?x=1', body, headers);
    const [entry] = await ledgerWhen(([first]) => first?.answer === 'whole');
    expect(entry).toMatchObject({
      n: 1,
      host: TICKETS,
      method: 'POST',
      target: '/v1/tickets?x=1',
      key: 'r\u00e9',
      request: 'whole',
      credential: true,
    });
    expect(Buffer.from(entry?.body ?? '', 'base64').toString()).toBe(body);
    expect(entry?.bytes).toBe(Buffer.byteLength(body));
    expect(entry?.headers).toEqual(expect.arrayContaining([['idempotency-key', 'k']]));
    expect(JSON.stringify(entry)).not.toMatch(/canary/);
    expect(JSON.stringify(entry)).not.toContain(PROXY_TOKEN);
  });

  it('counts the bytes of a request that is still arriving, keeps them when it is cut, and executes nothing', async () => {
    const socket = await raw(`${head(TICKETS, '/v1/tickets', 100)}{"a":`);
    expect(await ledgerWhen(([entry]) => entry?.bytes === 5)).toMatchObject([{ request: 'arriving', body: '' }]);
    socket.destroy();
    const entries = await ledgerWhen(([entry]) => entry?.request === 'cut');
    expect(entries).toMatchObject([{ bytes: 5, executed: false, status: null, body: Buffer.from('{"a":').toString('base64') }]);
  });

  it('answers 413 to more than 64 KiB and executes nothing', async () => {
    expect((await call(TICKETS, 'POST', '/v1/tickets', { a: 'x'.repeat(65_536) })).status).toBe(413);
    expect(await ledger()).toMatchObject([{ status: 413, executed: false }]);
  });

  it('is read in pages', async () => {
    for (let n = 0; n < 3; n += 1) await call(TICKETS, 'POST', '/v1/tickets', {});
    expect((await ledger(1)).map(({ n }) => n)).toEqual([2, 3]);
    expect((await control('GET', 'ledger?after=0&limit=2')).body).toMatchObject({ entries: [{ n: 1 }, { n: 2 }] });
    expect((await control('GET', 'ledger?limit=501')).status).toBe(400);
  });
});

describe('the controls', () => {
  it.each([
    ['GET', 'state'],
    ['GET', 'ledger'],
    ['POST', 'faults'],
    ['POST', 'reset'],
  ] as const)('%s %s needs the token', async (method, path) => {
    expect((await control(method, path, method === 'POST' ? {} : undefined, 'another-token')).status).toBe(401);
  });

  it.each([
    [{ host: 'other.example', fault: 'slow' }, 404],
    [{ host: TICKETS, fault: 'unheard-of' }, 400],
    [{ host: TICKETS, fault: 'slow', ms: 60_001 }, 400],
    [{ host: TICKETS, fault: 'slow', times: 0 }, 400],
    [{ host: TICKETS, fault: 'slow', more: 1 }, 400],
  ])('a fault %j is refused with %d', async (fault, status) => {
    expect((await control('POST', 'faults', fault)).status).toBe(status);
  });

  it('reset forgets entries, records and faults; numbers go on', async () => {
    await call(TICKETS, 'POST', '/v1/tickets', {});
    await plan(TICKETS, '429');
    expect((await control('POST', 'reset', {})).status).toBe(204);
    expect(await state()).toMatchObject({ entries: 0, last: 1, faults: [], hosts: [{ recordCount: 0 }, { recordCount: 0 }] });
    await call(TICKETS, 'POST', '/v1/tickets', {});
    expect(await ledger()).toMatchObject([{ n: 2, executed: true }]);
  });
});
