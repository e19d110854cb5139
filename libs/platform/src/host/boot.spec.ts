import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Body, Controller, Get, Inject, Module, Param, Post } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { Type } from 'class-transformer';
import { IsInt, Matches, ValidateNested } from 'class-validator';
import { DefectFault, InputFault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import { serviceClient } from '../http/service-client';
import { Public } from './auth';
import { bootService } from './boot';
import { ServiceConfig } from './config';
import { HttpProblem } from './problem';
import { quietProcess } from './process';
import type { Host, RunningService, ServiceDefinition, ServiceParts } from './service';
import { PRODUCT_VERSION } from './version';

class Money {
  @IsInt() amount!: number;
}
class Order {
  @Matches(/^[a-z]+$/) name!: string;
  @ValidateNested() @Type(() => Money) price!: Money;
}
const THROWN = new Map<string, () => unknown>([
  ['input', () => new InputFault('HOUSE:t:Bad', 'these bytes')],
  ['retryable', () => new RetryableFault('HOUSE:t:Again', 'planted-canary')],
  ['undetermined', () => new UndeterminedFault('HOUSE:t:Lost', 'planted-canary')],
  ['defect', () => new DefectFault('HOUSE:t:Wrong', 'planted-canary')],
  ['unknown', () => new TypeError('planted-canary')],
  ['problem', () => new HttpProblem({ status: 409, code: 'HOUSE:t:GateHalting', detail: 'halting', nextSteps: ['connector explain x'] })],
]);
const HEARD = 'heard';

@Controller()
class Probe {
  constructor(@Inject(HEARD) private readonly heard: string[]) {}
  @Get('private') secret(): object {
    return { ok: true };
  }
  @Public() @Get('throw/:kind') fail(@Param('kind') kind: string): never {
    throw THROWN.get(kind)?.();
  }
  @Public() @Post('orders') order(@Body() order: Order): object {
    return { isOrder: order instanceof Order };
  }
  @Public() @Post('raw') raw(@Body() body: unknown): object {
    return { base64: Buffer.isBuffer(body) ? body.toString('base64') : typeof body };
  }
  @EventPattern('claim') wake({ account }: { account: string }): void {
    this.heard.push(account);
  }
}

let dir: string;
let heard: string[];
let ends: string[];
let codes: number[];
let lines: string[];
let fromSupervisor: ((message: unknown) => void)[];
let running: RunningService | undefined;

type Extra = Partial<Omit<ServiceDefinition, 'build'>> & {
  readonly parts?: Partial<ServiceParts>;
  readonly env?: NodeJS.ProcessEnv;
  readonly onBuild?: (host: Host<ServiceConfig>) => void;
};

async function boot({ parts, env, onBuild, ...definition }: Extra = {}): Promise<RunningService> {
  @Module({ controllers: [Probe], providers: [{ provide: HEARD, useValue: heard }] })
  class ProbeModule {}
  const build = (host: Host<ServiceConfig>): Promise<ServiceParts> => {
    onBuild?.(host);
    host.onClose('pool', () => Promise.resolve(ends.push('pool')));
    return Promise.resolve({ module: ProbeModule, ...parts });
  };
  const base = { CONNECTOR_SECRETS_DIR: dir, CONNECTOR_PORT: '0', CONNECTOR_LOG_LEVEL: 'error', ...env };
  const channel = {
    connected: true,
    send: (_: object, sent: () => void) => sent(),
    listen: (receive: (message: unknown) => void) => {
      fromSupervisor.push(receive);
      return () => void fromSupervisor.splice(0);
    },
  };
  const proc = {
    ...quietProcess(
      { ...base },
      (code) => void codes.push(code),
      (line) => void lines.push(line),
    ),
    channel,
  };
  const whole = {
    name: 'operator',
    defaultPort: 1,
    roles: [],
    Config: ServiceConfig,
    callers: ['cli', 'runtime'],
    ...definition,
    build,
  } as const;
  return (running = await bootService(whole, proc));
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${running?.url}${path}`, { headers });
const post = (path: string, body: string, type = 'application/json'): Promise<Response> =>
  fetch(`${running?.url}${path}`, { method: 'POST', body, headers: { 'content-type': type } });
async function turns(count = 20): Promise<void> {
  for (let each = 0; each < count; each++) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(async () => {
  [heard, ends, codes, lines, fromSupervisor, running] = [[], [], [], [], [], undefined];
  dir = await mkdtemp(join(tmpdir(), 'host-'));
  await mkdir(join(dir, 'tokens/cli/operator/1'), { recursive: true, mode: 0o700 });
  await writeFile(join(dir, 'tokens/cli/operator/1/value'), 'tok-cli-planted\n', { mode: 0o600 });
});
afterEach(async () => {
  await running?.stop();
  await rm(dir, { recursive: true });
});

describe('host wakes', () => {
  const kafka = { CONNECTOR_WAKE: 'kafka', CONNECTOR_KAFKA_BROKERS: '127.0.0.1:1', CONNECTOR_LOG_LEVEL: 'warn' };

  it('ready: a service starts, takes requests and ends without its broker; the client speaks through our log alone', async () => {
    let host: Host<ServiceConfig> | undefined;
    await boot({ env: kafka, onBuild: (given) => (host = given) });
    host?.wake.emit({ stage: 'claim', account: 'a/1' });
    const told = (): readonly Record<string, unknown>[] =>
      lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ evt }) => evt === 'kafka');
    for (let look = 0; look < 200 && (told().length === 0 || host?.wake.state !== 'away'); look += 1) await pause(50);
    expect(host?.wake.state).toBe('away');
    expect((await get('/readyz')).status).toBe(200);
    expect(told()).not.toEqual([]);
    for (const line of told()) expect(Object.keys(line)).not.toContain('stack');
    await running?.stop();
    expect(codes).toEqual([0]);
  });

  it('refused: a password that would travel readable ends the start', async () => {
    const sasl = { CONNECTOR_KAFKA_SASL: 'plain', CONNECTOR_KAFKA_USER: 'u', CONNECTOR_KAFKA_PASSWORD_FILE: '/nowhere' };
    await expect(boot({ env: { ...kafka, ...sasl } })).rejects.toMatchObject({ code: 'HOUSE:wake:PasswordReadable' });
  });
});

describe('host paths', () => {
  it('answered: liveness, start-up, readiness and metrics need no token and no Nest', async () => {
    await boot();
    for (const path of ['/livez', '/startupz', '/readyz', '/metrics']) expect([path, (await get(path)).status]).toEqual([path, 200]);
    expect(await (await get('/metrics')).text()).toContain(`connector_build_info{service="operator",version="${PRODUCT_VERSION}"`);
    expect(JSON.parse(await readFile(join(__dirname, '../../../../package.json'), 'utf8'))).toMatchObject({ version: PRODUCT_VERSION });
  });

  it('503: readiness names a failing check and shows all with ?verbose; liveness does not care', async () => {
    const once = (): Promise<'idle'> => Promise.resolve('idle');
    await boot({
      parts: { loops: [{ name: 'claim', pollMs: 60_000, once }] },
      onBuild: ({ health }) => health.addCheck('database', () => Promise.reject(new Error('planted-canary'))),
    });
    const answer = await get('/readyz');
    expect([answer.status, await answer.json()]).toEqual([503, { ready: false, draining: false, failing: ['database'] }]);
    const verbose = await (await get('/readyz?verbose')).text();
    expect(verbose).toContain('loop claim');
    expect(verbose).not.toContain('planted-canary');
    expect((await get('/livez')).status).toBe(200);
  });

  it('loopback: the server listens on 127.0.0.1 unless told otherwise', async () => {
    expect((await boot()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});

describe('callers', () => {
  it('401: without, with a malformed and with a wrong token the answer is the same problem', async () => {
    await boot();
    const answers = await Promise.all(
      ['', 'Basic x', 'Bearer wrong', `Bearer ${'x'.repeat(9_000)}`].map((authorization) => get('/private', { authorization })),
    );
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(new Set(bodies).size).toBe(1);
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('200: a known token opens the door, and a caller without a token file keeps nobody from starting', async () => {
    await boot();
    const cli = serviceClient({ baseUrl: running?.url ?? '', token: 'tok-cli-planted', timeoutMs: 2_000 });
    expect(await cli.call('GET', '/private')).toEqual({ status: 200, body: { ok: true } });
    expect(await cli.call('POST', '/orders', { name: 'x', price: { amount: 1 } })).toEqual({ status: 201, body: { isOrder: true } });
    await cli.close();
  });
});

describe('problems', () => {
  const problem = async (answer: Response): Promise<{ status: number; type: string | null; body: object }> => ({
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: JSON.parse(await answer.text()),
  });

  it.each([
    ['input', 400, 'HOUSE:t:Bad'],
    ['retryable', 503, 'HOUSE:t:Again'],
    ['undetermined', 503, 'HOUSE:t:Lost'],
    ['defect', 500, 'HOUSE:http:Internal'],
    ['unknown', 500, 'HOUSE:http:Internal'],
    ['problem', 409, 'HOUSE:t:GateHalting'],
  ])('problem+json: what is thrown as %s becomes %d and no foreign word leaves', async (kind, status, code) => {
    await boot();
    const answer = await problem(await get(`/throw/${kind}?token=planted-canary`));
    expect(answer).toMatchObject({
      status,
      type: 'application/problem+json; charset=utf-8',
      body: { status, code, instance: `/throw/${kind}` },
    });
    expect(JSON.stringify(answer)).not.toContain('planted-canary');
    expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(['type', 'title', 'detail', 'next_steps']));
    expect(lines.filter((line) => line.includes('request-defect'))).toHaveLength(status === 500 ? 1 : 0);
    if (kind === 'problem') expect(answer.body).toMatchObject({ type: '/problems/gate-halting', next_steps: ['connector explain x'] });
  });

  it('400: every wrong member comes with its JSON pointer, unknown ones too', async () => {
    await boot();
    const { status, body } = await problem(await post('/orders', JSON.stringify({ name: 'X', price: { amount: 'y' }, 'a/b~': 1 })));
    const pointers = (body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
    expect([status, pointers.toSorted()]).toEqual([400, ['/a~1b~0', '/name', '/price/amount']]);
  });

  it('4xx: what the framework refuses has the same shape', async () => {
    await boot({ bodyBytesMax: 100 });
    expect(await problem(await get('/nothing?key=planted-canary'))).toMatchObject({
      status: 404,
      body: { code: 'HOUSE:http:NotFound', instance: '/nothing' },
    });
    expect(await problem(await post('/orders', '{'))).toMatchObject({ status: 400, body: { code: 'HOUSE:http:Malformed' } });
    expect(await problem(await post('/orders', `"${'x'.repeat(100)}"`))).toMatchObject({
      status: 413,
      body: { code: 'HOUSE:http:TooLarge' },
    });
    expect(await problem(await post('/orders', 'x', 'text/x'))).toMatchObject({ status: 415, body: { code: 'HOUSE:http:ContentType' } });
  });

  it('raw: with the option every body arrives as the bytes that were sent, within the limit', async () => {
    await boot({ rawBody: true, bodyBytesMax: 100 });
    for (const type of ['application/json', 'text/x', 'application/x-www-form-urlencoded']) {
      expect(await (await post('/raw', '{ "a" :1}\n', type)).json()).toEqual({ base64: Buffer.from('{ "a" :1}\n').toString('base64') });
    }
    expect((await post('/raw', 'x'.repeat(101))).status).toBe(413);
  });
});

describe('boot and stop', () => {
  it('woken: a hint of the supervisor reaches the @EventPattern handler of its stage', async () => {
    await boot({ env: { CONNECTOR_WAKE: 'local' } });
    fromSupervisor.forEach((receive) => receive({ type: 'wake', hints: [{ stage: 'claim', account: 'a/1' }] }));
    await turns();
    expect(heard).toEqual(['a/1']);
  });

  it('closed: a boot that fails closes what was opened and starts no loop', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const address = blocker.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const once = jest.fn(() => Promise.resolve('idle' as const));
    const failing = boot({ env: { CONNECTOR_PORT: port }, parts: { loops: [{ name: 'claim', pollMs: 10, once }] } });
    await expect(failing).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(ends).toEqual(['pool']);
    expect(once).not.toHaveBeenCalled();
    blocker.close();
  });

  it('drained: stop turns new requests away, ends loops, then drains, closes the server before the pool, and exits 0', async () => {
    let release: () => void = () => undefined;
    const once = async (signal: AbortSignal): Promise<'idle'> => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise<void>((resolve) => (release = resolve));
      ends.push('loop');
      return 'idle';
    };
    const service = await boot({
      parts: { loops: [{ name: 'claim', pollMs: 10, once }] },
      onBuild: (host) => host.onDrain('queue', () => Promise.resolve(ends.push('queue'))),
    });
    await turns();
    const stopping = service.stop();
    expect(service.stop()).toBe(stopping);
    await turns();
    expect([(await get('/private')).status, (await get('/readyz')).status, (await get('/livez')).status]).toEqual([503, 503, 200]);
    expect(ends).toEqual([]);
    release();
    await stopping;
    expect([ends, codes]).toEqual([['loop', 'queue', 'pool'], [0]]);
    await expect(get('/livez')).rejects.toThrow();
  });

  it('exit 1: a defect in a loop drains the service and ends it non-zero', async () => {
    const once = (): Promise<'idle'> => Promise.reject(new DefectFault('HOUSE:t:Wrong', 'x'));
    const service = await boot({ parts: { loops: [{ name: 'claim', pollMs: 10, once }] } });
    await turns();
    await service.stop();
    expect([ends, codes]).toEqual([['pool'], [1]]);
  });
});
