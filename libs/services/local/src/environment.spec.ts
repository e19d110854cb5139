import { unknownKeys } from '@connector/platform/host/config-keys';
import { environmentWith, settingsOf } from './environment';
import { layoutOf } from './layout';
import { processesOf, SERVICE_PLANS } from './plan';

const layout = layoutOf('/nowhere/.connector');
const ports = Object.fromEntries([...SERVICE_PLANS.map(({ name, port }) => [name, port]), ['egress-proxy', 4421]]);
const database = { host: '127.0.0.1', port: 1, mainDatabase: 'm', journalDatabase: 'j', user: 'con_{role}', adminUser: 'root' };

describe('environment of a service', () => {
  it('none: nothing of the surrounding settings reaches a service, a database address with its password least of all (con:INV-18)', () => {
    const surrounding = { PATH: '/bin', CONNECTOR_DATABASE_URL: 'mysql://user:password@host:3306/database', NODE_OPTIONS: '--inspect' };
    const env = environmentWith({ PORT: '1' }, surrounding);
    expect(env).toMatchObject({ PATH: '/bin', CONNECTOR_PORT: '1' });
    expect(Object.keys(env)).not.toContain('CONNECTOR_DATABASE_URL');
    expect(Object.keys(env)).not.toContain('NODE_OPTIONS');
  });

  it('known: every key that a service is told is one that services read, and only the adapter learns the way out (con:LAY-16)', () => {
    for (const plan of processesOf()) {
      const env = environmentWith(settingsOf(plan, 'gen_x', layout, ports, database), {});
      expect(unknownKeys(env)).toEqual([]);
      expect('CONNECTOR_EGRESS_PROXY_URL' in env).toBe(plan.name === 'egress-adapter');
    }
  });

  it('one user: where the engine enforces no grants all services share its password file', () => {
    const told = settingsOf(processesOf()[0] ?? fail(), 'gen_x', layout, ports, { ...database, user: 'root' });
    expect(told.DATABASE_PASSWORD_FILE).toBe('/nowhere/.connector/secrets/database/admin/1/value');
  });
});
function fail(): never {
  throw new Error('no plan');
}
