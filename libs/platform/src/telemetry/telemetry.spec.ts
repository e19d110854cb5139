import { DefectFault } from '@connector/kernel/faults';
import { Log, type LogFields } from './log';
import { Telemetry } from './metrics';
import { NestLog } from '../host/nest-log';
import { redact } from './redact';

const build = { service: 'ingress', version: '0.1.0' };

function logInto(lines: string[], level: 'info' | 'debug' = 'info'): Log {
  return new Log({ service: 'ingress', generation: 'gen-1', level, destination: { write: (line) => void lines.push(line) } });
}

describe('telemetry', () => {
  it('counted: outcomes stand by door, path and kind', async () => {
    const telemetry = new Telemetry(build);
    telemetry.outcome('admit-and-materialize', 'admitted', 'admit-receipts');
    telemetry.outcome('admit-and-materialize', 'admitted', 'admit-receipts');
    telemetry.outcome('start-sending', 'not-granted');
    const text = await telemetry.expose();
    expect(text).toContain('connector_outcomes_total{door="admit-and-materialize",path="admit-receipts",kind="admitted"} 2');
    expect(text).toContain('connector_outcomes_total{door="start-sending",path="",kind="not-granted"} 1');
  });

  it('counted: a fault stands by class and code, never by its words', async () => {
    const telemetry = new Telemetry(build);
    telemetry.fault(new DefectFault('HOUSE:db:LockOrder', 'receipt rcp_secret'));
    telemetry.fault(new TypeError('boom'));
    const text = await telemetry.expose();
    expect(text).toContain('connector_faults_total{class="DefectFault",code="HOUSE:db:LockOrder"} 1');
    expect(text).toContain('connector_faults_total{class="Unknown",code="none"} 1');
    expect(text).not.toContain('rcp_secret');
  });

  it('asked at scrape: ready work is as fresh as the scrape, and absent when it cannot be known', async () => {
    const telemetry = new Telemetry(build);
    let rows = 3;
    telemetry.collectReady(() =>
      rows > 3 ? Promise.reject(new Error('db gone')) : Promise.resolve([{ stage: 'claim', rows, oldestAgeSeconds: 1.5 }]),
    );
    expect(await telemetry.expose()).toMatch(
      /connector_ready_rows\{stage="claim"\} 3\n[^]*connector_oldest_ready_age_seconds\{stage="claim"\} 1.5/,
    );
    rows = 4;
    const text = await telemetry.expose();
    expect(text).not.toContain('stage="claim"');
    expect(text).toContain('connector_faults_total{class="Unknown",code="none"} 1');
  });

  it('bounded: a source that never answers does not hold the scrape', async () => {
    jest.useFakeTimers();
    const telemetry = new Telemetry(build);
    telemetry.collectReady(() => new Promise(() => undefined));
    const text = telemetry.expose();
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(text).resolves.toContain('connector_faults_total{class="RetryableFault",code="HOUSE:host:Late"} 1');
    jest.useRealTimers();
  });

  it('complete: the figures of the issue and of the process are declared, and two instances share none', async () => {
    const telemetry = new Telemetry(build);
    telemetry.statement('start-sending', 0.004);
    telemetry.loopRun('claim', 'worked');
    telemetry.wake('dropped', 2);
    const text = await telemetry.expose();
    for (const line of [
      'connector_statement_seconds_bucket{le="0.005",statement="start-sending"} 1',
      'connector_loop_runs_total{loop="claim",answer="worked"} 1',
      'connector_wakes_total{kind="dropped"} 2',
      `connector_build_info{service="ingress",version="0.1.0",node="${process.version}"} 1`,
      'process_resident_memory_bytes ',
      'process_cpu_seconds_total ',
    ]) {
      expect(text).toContain(line);
    }
    expect(await new Telemetry(build).expose()).not.toContain('start-sending');
  });
});

describe('log', () => {
  it('kept: a line has level, time, service, generation, event and the listed fields', () => {
    const lines: string[] = [];
    logInto(lines).info('transition', { door: 'start-sending', kind: 'sending', actual_fence: 9_007_199_254_740_993n, ms: 4 });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      service: 'ingress',
      generation: 'gen-1',
      evt: 'transition',
      door: 'start-sending',
      kind: 'sending',
      actual_fence: '9007199254740993',
      ms: 4,
    });
  });

  it('dropped: con:INV-18 a field that is not on the list, or an object in a field that is, never reaches the line', () => {
    const lines: string[] = [];
    const smuggled: LogFields = Object.assign(
      { door: 'd' },
      { body: 'planted-canary' },
      JSON.parse('{"detail":{"token":"planted-canary"}}'),
    );
    logInto(lines).error('x', smuggled);
    expect(lines.join('')).not.toContain('planted-canary');
  });

  it.each([
    'authorization: Bearer planted-canary-0001',
    'mysql://connector:planted-canary-0001@127.0.0.1:4000/db',
    'key whsec_planted/canary+0001 was refused',
    '{"password":"planted-canary-0001"}',
    'GET /x?api_key=planted-canary-0001&y=1',
    'token=planted-canary-0001',
    `found "${['-----BEGIN', 'RSA PRIVATE KEY-----\nplanted-canary-0001\n-----END', 'RSA PRIVATE KEY-----'].join(' ')}"`,
  ])('redacted: con:INV-18 the second net takes out %s', (text) => {
    expect(redact(text)).not.toMatch(/planted.?canary/);
    expect(redact(text)).toContain('[redacted]');
  });

  it('unchanged: redaction leaves ordinary words alone', () => {
    const text = 'HOUSE:db:LockOrder: token bucket is empty at https://127.0.0.1:4000/v1/in/north/acme';
    expect(redact(text)).toBe(text);
  });

  it('quiet: what Nest says at start is debug, and its objects are never printed', () => {
    const lines: string[] = [];
    const nest = new NestLog(logInto(lines));
    nest.log('Mapped {/x} route', 'RouterExplorer');
    expect(lines).toHaveLength(0);
    nest.error({ body: 'planted-canary' }, 'stack', 'Ctx');
    expect(lines.join('')).toContain('"context":"Ctx"');
    expect(lines.join('')).not.toContain('planted-canary');
  });
});
