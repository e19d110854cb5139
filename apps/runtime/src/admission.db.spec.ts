import type { AppRelease } from '@connector/catalog/model/release';
import { readInstallation } from '@connector/catalog/reads/installation';
import { readFrozen } from '@connector/catalog/reads/publication';
import { Digest } from '@connector/kernel/digest';
import { serviceClient, type ServiceClient } from '@connector/platform/http/service-client';
import type { RunningService } from '@connector/platform/host/service';
import { advanceAppGrants } from '@connector/security/transitions/advance-app-grants.tx';
import { appGrants, noOtherInputs, securityProjection } from '@connector/security/contract/projection';
import { continuePublication } from '@connector/services/catalog/src/installations/continue-publication';
import { securityOverHttp } from '@connector/services/catalog/src/security-over-http';
import { runtime } from '@connector/services/runtime/src/runtime.service';
import { callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import { type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { advanceOf, grantsOf } from '@connector/testing/fixtures/security';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const ORG = 'org-1';
let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let client: ServiceClient;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'runtime', ['execution-claimant', 'catalog', 'operator']);
  service = await bootOn(runtime, schema, home);
  client = serviceClient({ baseUrl: service.url, token: 'catalog-to-runtime', timeoutMs: 5_000 });
});
beforeEach(() => schema.reset());
afterAll(async () => {
  await client.close();
  await service.stop();
  await schema.close();
  await home.remove();
});

/** What a replica says of a tuple, by its code. */
async function admission(installation: string, epoch: string | null, by: Pick<RunningService, 'url' | 'name'> = service): Promise<unknown> {
  const path = `/v1/security/orgs/${ORG}/app-installations/${installation}/admission?security_epoch=${epoch}`;
  const { status, body } = await callsTo(by, 'operator').get(path);
  expect(status).toBe(body['kind'] === 'admitted' ? 200 : 409);
  return body['code'] ?? body['kind'];
}

/** The next epoch of the organization, with these installations. */
async function bind(installations: Readonly<Record<string, readonly string[]>>, prior: bigint): Promise<void> {
  expect(await advanceAppGrants(schema.db, advanceOf(ORG, grantsOf(ORG, installations), prior))).toMatchObject({ kind: 'bound' });
}

describe('the call itself', () => {
  const ASKED = { command_id: `cmd_${'0'.repeat(26)}`, execution_ref_digest: Digest.sha256(Buffer.from('ref')) };
  const ask = async (authorization?: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const body = JSON.stringify({ commands: [ASKED] });
    return (await fetch(`${service.url}/v1/results/query`, { method: 'POST', headers, body })).status;
  };
  const TRUSTED = 'Bearer execution-claimant-to-runtime';

  it.each([
    ['absent', undefined, 401],
    ['of nobody who is known', 'Bearer other-to-runtime', 401],
    ['of an older minting', `${TRUSTED}-0`, 401],
    ['altered in one character', TRUSTED.replace(/.$/, 'f'), 401],
    ['of a caller who has other paths', 'Bearer catalog-to-runtime', 403],
  ])('refused: cat:SEC-14 cat:SEC-15 before the repository is asked, which is not there: its token is %s', async (_what, token, status) => {
    await schema.sql('RENAME TABLE run_application_result TO away');
    const [refused, trusted] = await Promise.all([ask(token), ask(TRUSTED)]).finally(() =>
      schema.sql('RENAME TABLE away TO run_application_result'),
    );
    expect([refused, trusted]).toEqual([status, 500]);
    expect(await ask(TRUSTED)).toBe(200);
  });
});

describe('the security epoch of a tuple, and the installation in it', () => {
  const INST = 'inst-1';
  const alter = (set: string, values: readonly unknown[]) =>
    schema.sql(`UPDATE sec_projection SET ${set} WHERE security_epoch = 1`, values);
  const ofAnother = securityProjection.build({
    schema_version: 'nexuscrm.runtime-security-projection/v1',
    organization_id: 'org-2',
    other_inputs_digest: noOtherInputs('org-2').digest,
    app_grants: appGrants.parse(grantsOf('org-2', { [INST]: ['a.b.v1'] })).value,
  });
  const nothing = () => Promise.resolve();

  beforeEach(() => bind({ [INST]: ['a.b.v1'] }, 0n));

  it('admitted: cat:SEC-14 as it was bound, and at a newer epoch that binds the same to it', async () => {
    expect(await admission(INST, '1')).toBe('admitted');
    await bind({ [INST]: ['a.b.v1'], 'inst-2': [] }, 1n);
    expect(await admission(INST, '1')).toBe('admitted');
  });

  it.each([
    ['SecurityEpoch', 'absent: it was never allocated', '9', nothing, 'epoch-ahead'],
    ['SecurityEpoch', 'not active: nothing was ever projected at it', '0', nothing, 'not-bound'],
    ['SecurityEpoch', 'out of date: a newer one binds something else', '1', () => bind({ [INST]: ['a.c.v1'] }, 1n), 'bindings-differ'],
    [
      'SecurityEpoch',
      'altered: its bytes fail their checksum',
      '1',
      () => alter(`projection = REPLACE(projection, 'a.b', 'a.x')`, []),
      'altered',
    ],
    [
      'SecurityEpoch',
      'not fitting: the head names another projection at it',
      '1',
      () => schema.sql('UPDATE sec_head SET projection_digest = ?', [Digest.bytes(ofAnother.digest)]),
      'altered',
    ],
    ['AppInstallation', 'absent: another one is bound', '2', () => bind({ 'inst-2': [] }, 1n), 'not-bound'],
    ['AppInstallation', 'not active: it was withdrawn since', '1', () => bind({}, 1n), 'withdrawn'],
    ['AppInstallation', 'out of date: it is granted more since', '1', () => bind({ [INST]: ['a.b.v1', 'a.c.v1'] }, 1n), 'bindings-differ'],
    ['AppInstallation', 'altered: what stands is no projection', '1', () => alter('projection = ?', [Buffer.from('{}')]), 'altered'],
    [
      'AppInstallation',
      'not fitting: the whole projection of another organization, which binds the same to one of the same name',
      '1',
      async () => {
        await alter('projection = ?, projection_digest = ?', [ofAnother.bytes, Digest.bytes(ofAnother.digest)]);
        await schema.sql('UPDATE sec_head SET projection_digest = ?', [Digest.bytes(ofAnother.digest)]);
      },
      'altered',
    ],
  ] as const)('refused: cat:SEC-14 %s %s', async (_fact, _fault, epoch, spoil, code) => {
    await spoil();
    expect(await admission(INST, epoch)).toBe(code);
  });
});

describe('a published tuple', () => {
  let world: PublicationWorld;
  let one: AppRelease;
  let life: Life;

  beforeEach(async () => {
    const made = await publicationWorld(schema);
    const security = securityOverHttp(client);
    world = Object.assign(made, { parts: Object.assign(made.parts, { security }), security: Object.assign(security, { seen: [] }) });
    one = await world.release();
    life = await Life.active(schema, world, one);
  });

  const published = async () => {
    const found = await readInstallation(schema.db, ORG, life.installation);
    if (found.kind !== 'found') throw new RangeError(found.kind);
    return [found.state, found.activeReleaseDigest, (await life.row()).securityEpoch] as const;
  };

  it('published, not admitted: cat:PUBL-C6 cat:PUBL-08 a replica that has not come so far decides for itself, and Catalog does nothing', async () => {
    const behind = await mainSchema();
    const replica = await bootOn(runtime, behind, home);
    try {
      const [state, release, epoch] = await published();
      expect([state, release, await admission(life.installation, epoch)]).toEqual(['ACTIVE', one.releaseDigest, 'admitted']);
      expect(await admission(life.installation, epoch, replica)).toBe('epoch-ahead');
      // Whoever goes on with it finds it published: nothing is sent again, and no revision is taken.
      const attempt = { organization: ORG, installation: life.installation, attempt: 1n };
      expect(await continuePublication(world.parts, attempt)).toMatchObject({ kind: 'published', lineage: { catalogRevision: 1n } });
      expect([await countOf(schema, 'cat_revision'), await countOf(behind, 'sec_command')]).toEqual([1, 0]);
      expect(await admission(life.installation, epoch, replica)).toBe('epoch-ahead');
      const frozen = await readFrozen(schema.db, attempt);
      if (frozen === undefined) throw new RangeError('no candidate');
      const { commandId, expectedPriorEpoch, appGrants, projectionDigest: expectedProjectionDigest } = frozen;
      await advanceAppGrants(behind.db, { commandId, organization: ORG, expectedPriorEpoch, appGrants, expectedProjectionDigest });
      expect(await admission(life.installation, epoch, replica)).toBe('admitted');
    } finally {
      await replica.stop();
      await behind.close();
    }
  });

  it('published, not admitted: cat:PUBL-08 what Runtime binds at its present epoch is another release, until that one is published', async () => {
    const two = await world.release(undefined, undefined, '2.0.0');
    const upgrade = await life.opened('upgrade', two);
    await upgrade.toPublish();
    const [, release, epoch] = await published();
    expect([release, await admission(life.installation, epoch)]).toEqual([one.releaseDigest, 'bindings-differ']);
    await upgrade.publish();
    const [, next, then] = await published();
    expect([next, await admission(life.installation, then)]).toEqual([two.releaseDigest, 'admitted']);
    expect(await admission(life.installation, epoch)).toBe('bindings-differ');
  });
});
