import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { AppRelease } from '@connector/catalog/model/release';
import { readEnd } from '@connector/catalog/reads/publication';
import { blockRelease } from '@connector/catalog/transitions/registry/block-release.tx';
import { revokePublisherKey } from '@connector/catalog/transitions/registry/revoke-publisher-key.tx';
import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { FakeDeployment } from '@connector/testing/fake-deployment';
import { type Draft, layout, type ReleaseDraft } from '@connector/testing/fixtures/app-release';
import {
  APP,
  askedFor,
  platform,
  PUBLISHER,
  type PublicationWorld,
  publicationWorld,
  SERVICE_RELEASE,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { asking } from '@connector/testing/fixtures/registry';
import { planInstallation } from './plan';
import { countOf } from '@connector/testing/fixtures/serving';
import { prepareInstallation } from './install';

const ORG = 'org-1';
const BASE = 'dev.example.base';
const CLASH = 'dev.example.clash';
const FRONTEND_RELEASE = Digest.sha256(Buffer.from('frontend release'));
const protocol = (protocol_id: string, major = 1, minimum_minor = 0) => ({ protocol_id, major, minimum_minor });
const offer = (protocol_id: string, major = 1, minor = 0) => ({ protocol_id, major, minor });

/** A deployment that offers everything which the whole App needs. */
const OFFERED = platform({
  protocols: [offer('dev.example.wire', 1, 2), offer('dev.example.host-sdk')],
  engine_capabilities: ['engine.records.v1'],
  schema: { generation: '7', components: [{ component_kind: 'io.nexuscrm.record-layout.v1', format_version: 1 }] },
  workloads: [
    {
      workload_id: WORKLOAD,
      service_releases: [
        {
          service_release_digest: SERVICE_RELEASE,
          handlers: [APP, BASE, CLASH].map((app) => ({ handler_ref: `${app}.handler.work.v1`, protocol_minor: 0 })),
        },
      ],
    },
    { workload_id: 'dev.example.other', service_releases: [] },
  ],
  frontends: [
    { frontend_release_digest: FRONTEND_RELEASE, host_sdk: offer('dev.example.host-sdk'), contribution_schema: offer('dev.example.parts') },
  ],
});

const NAMESPACE = `${APP}.layouts`;
function addLayout(draft: ReleaseDraft, namespace: string, refs: readonly Draft[] = []): void {
  const { descriptor, behavior } = layout(namespace, 'one');
  descriptor['external_component_refs'] = [...refs];
  draft.components.push(descriptor);
  draft.behaviors.set(String(descriptor['component_id']), behavior);
  draft.manifest['owned_namespaces'] = [namespace];
}

/** Every list of the manifest names something. */
function whole(draft: ReleaseDraft): void {
  addLayout(draft, NAMESPACE);
  const range = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '2.0.0' };
  draft.manifest['dependencies'] = [{ alias: 'base', app_id: BASE, ...range, required_capabilities: [`${BASE}.work.v1`] }];
  draft.manifest['required_protocols'] = [protocol('dev.example.wire', 1, 2)];
  draft.manifest['required_engine_capabilities'] = ['engine.records.v1'];
  draft.manifest['frontend_compatibility'] = {
    mode: 'required',
    host_sdk: protocol('dev.example.host-sdk'),
    contribution_schema: protocol('dev.example.parts'),
  };
}

let schema: TestSchema;
let world: PublicationWorld;
let base: AppRelease;
let app: AppRelease;

/** The dependency is ACTIVE; the App is registered and never installed before the last test. */
beforeAll(async () => {
  schema = await mainSchema();
  world = await publicationWorld(schema, { offered: OFFERED });
  base = await world.release(undefined, BASE);
  app = await world.release(whole);
  expect(await world.install(ORG, askedFor(base))).toMatchObject({ end: { kind: 'published' } });
});
beforeEach(() => {
  world.offered = OFFERED;
});
afterAll(() => schema.close());

const asked = (over: Partial<AskedInstallation> = {}): AskedInstallation =>
  askedFor(app, {
    dependencies: [{ alias: 'base', appReleaseDigest: base.releaseDigest }],
    frontendReleaseDigest: FRONTEND_RELEASE,
    ...over,
  });

interface Refused {
  readonly codes: readonly string[];
  readonly rules: readonly string[];
}

/** What was refused, by the journal, and by a plan before; and nothing but the journal was written (cat:PREP-01 to PREP-11). */
async function refusedBy(what: AskedInstallation, organization = ORG): Promise<Refused> {
  const tables = ['cat_revision', 'cat_candidate', 'cat_installation', 'cat_binding', 'cat_namespace_claim', 'cat_integration_view'];
  const before = await Promise.all(tables.map((table) => countOf(schema, table)));
  const sent = world.security.seen.length;
  const planned = await planInstallation(world.parts, organization, what);
  const answer = await world.install(organization, what);
  if (answer.kind !== 'refused') throw new Error(`expected a refusal, found ${JSON.stringify(answer, (_, v: unknown) => String(v))}`);
  expect(await Promise.all(tables.map((table) => countOf(schema, table)))).toEqual(before);
  expect(world.security.seen).toHaveLength(sent);
  expect(planned).toEqual({ kind: 'faulty', faults: answer.refusal.faults, more: answer.refusal.more });
  const { installation, attempt, refusal } = answer;
  expect(await readEnd(schema.db, { organization, installation, attempt })).toEqual({ kind: 'refused', refusal });
  return { codes: refusal.faults.map(({ code }) => code), rules: [...new Set(refusal.faults.map(({ rule }) => rule))] };
}

/** Rows as somebody altered them, until the test ends. */
async function altered(table: string, set: string, where: string, values: readonly unknown[], run: () => Promise<void>): Promise<void> {
  const column = set.split(' ')[0] ?? '';
  const [row] = await schema.sql(`SELECT ${column} AS held FROM ${table} WHERE ${where}`, values);
  await schema.sql(`UPDATE ${table} SET ${set} WHERE ${where}`, values);
  try {
    await run();
  } finally {
    await schema.sql(`UPDATE ${table} SET ${column} = ? WHERE ${where}`, [row?.['held'], ...values]);
  }
}

const THIS = 'app_id = ? AND release_digest = ?';
const key = () => [Buffer.from(APP), Digest.bytes(app.releaseDigest)];

describe('preparation › PREP-01, trust', () => {
  it('refused: cat:PREP-01 the attestation that stands with the release is not of it', () =>
    altered('cat_app_release', `signature = REPEAT('x', 64)`, THIS, key(), async () => {
      expect(await refusedBy(asked())).toEqual({ codes: ['SIGNATURE_INVALID'], rules: ['PREP-01'] });
    }));

  it('refused: cat:PREP-01 cat:A-18 the key was out of its window when the release was registered', () =>
    altered('cat_publisher_key', `valid_until = '2001-01-02 00:00:00'`, 'publisher_id = ?', [Buffer.from(PUBLISHER)], async () => {
      expect(await refusedBy(asked())).toEqual({ codes: ['KEY_EXPIRED'], rules: ['PREP-01'] });
    }));

  it('refused: cat:PREP-01 cat:A-44 in the epoch of its registration somebody else owned the App', () =>
    altered('cat_ownership_event', `new_publisher_id = 'dev.other'`, 'app_id = ?', [Buffer.from(APP)], async () => {
      expect(await refusedBy(asked())).toEqual({ codes: ['OWNERSHIP_EPOCH_STALE'], rules: ['PREP-01'] });
    }));
});

describe('preparation › PREP-02, bytes', () => {
  const BLOB = () => app.bundle.components[0]?.content_digest as Digest;

  it('refused: cat:PREP-02 a blob is not what it was when the release was registered', async () => {
    const [blob] = await world.artifacts.get([BLOB()]);
    world.artifacts.damage(BLOB());
    expect((await refusedBy(asked())).rules).toEqual(['PREP-02']);
    if (blob?.kind === 'found') world.artifacts.restore(BLOB(), blob);
  });

  it.each(['manifest', 'bundle'])('refused: cat:PREP-02 the stored %s was altered', async (which) => {
    const [table, column, where, values] =
      which === 'manifest'
        ? (['cat_app_release', 'manifest', THIS, key()] as const)
        : (['cat_metadata_bundle', 'bytes', 'bundle_digest = ?', [Digest.bytes(app.bundleDigest)]] as const);
    await altered(table, `${column} = REPLACE(${column}, 'layouts', 'layoutz')`, where, values, async () => {
      expect((await refusedBy(asked())).rules).toEqual(['PREP-02']);
    });
  });

  it('unavailable: an artifact registry that does not answer refuses nothing, and nothing is written', async () => {
    const before = await countOf(schema, 'cat_publication_step');
    world.artifacts.mood = 'unavailable';
    await expect(world.install(ORG, asked())).rejects.toMatchObject({ code: 'HOUSE:catalog:OwnerUnavailable' });
    world.artifacts.mood = 'well';
    expect(await countOf(schema, 'cat_publication_step')).toBe(before);
  });
});

describe('preparation › owners that do not answer, or lie', () => {
  const owners = () => new FakeDeployment(OFFERED);
  const prepare = (owner: FakeDeployment, which: 'deployment' | 'schema', what = asked()) =>
    prepareInstallation({ ...world.parts, [which]: owner }, { organization: ORG, existing: null, asked: what }, asking());

  it.each(['deployment', 'schema'] as const)('unavailable: %s refuses nothing, and nothing is written', async (which) => {
    const before = await countOf(schema, 'cat_publication_step');
    const silent = owners();
    silent.mood = 'unavailable';
    await expect(prepare(silent, which)).rejects.toMatchObject({ code: 'HOUSE:catalog:OwnerUnavailable' });
    expect(await countOf(schema, 'cat_publication_step')).toBe(before);
  });

  it('refused: a deployment that attests a release without its handlers serves nobody (cat:PREP-10)', async () => {
    const liar = owners();
    liar.mood = 'lies';
    expect(await prepare(liar, 'deployment')).toMatchObject({ kind: 'refused', refusal: { faults: [{ code: 'HANDLER_NOT_ATTESTED' }] } });
  });
});

describe('preparation › PREP-03, dependencies', () => {
  it('refused: cat:PREP-03 no release is named for a declared alias', async () => {
    expect(await refusedBy(asked({ dependencies: [] }))).toEqual({ codes: ['DEPENDENCY_MISSING'], rules: ['PREP-03'] });
  });

  it('refused: cat:PREP-03 a release is named for an alias that nobody declared', async () => {
    const named = [...asked().dependencies, { alias: 'more', appReleaseDigest: base.releaseDigest }];
    expect(await refusedBy(asked({ dependencies: named }))).toEqual({ codes: ['DEPENDENCY_UNDECLARED'], rules: ['PREP-03'] });
  });

  it('refused: cat:PREP-03 the named release is not registered', async () => {
    const named = [{ alias: 'base', appReleaseDigest: app.releaseDigest }];
    const { codes, rules } = await refusedBy(asked({ dependencies: named }));
    expect([codes, rules]).toEqual([['DEPENDENCY_ABSENT', 'DEPENDENCY_NOT_ACTIVE'], ['PREP-03']]);
  });

  it('refused: cat:PREP-03 cat:MAN-09 the named release fits and is not the one that is ACTIVE in the organization', async () => {
    const next = await world.release(undefined, BASE, '1.4.0');
    expect(await refusedBy(asked({ dependencies: [{ alias: 'base', appReleaseDigest: next.releaseDigest }] }))).toEqual({
      codes: ['DEPENDENCY_NOT_ACTIVE'],
      rules: ['PREP-03'],
    });
  });

  it.each([
    ['is out of range', '2.0.0', undefined, 'DEPENDENCY_OUT_OF_RANGE'],
    ['is a prerelease of the excluded maximum (cat:A-12)', '2.0.0-rc.1', undefined, 'DEPENDENCY_OUT_OF_RANGE'],
    ['lacks a needed capability', '1.5.0', [], 'DEPENDENCY_CAPABILITY'],
  ])('refused: cat:PREP-03 cat:MAN-09 the ACTIVE release of the dependency %s', async (_what, version, capabilities, code) => {
    const organization = `org-${version}`;
    const other = await world.release(
      (draft) => {
        if (capabilities !== undefined) draft.manifest['provided_capabilities'] = capabilities;
      },
      BASE,
      version,
    );
    const bound = capabilities === undefined ? {} : { grants: [], handlerBindings: [] };
    expect(await world.install(organization, askedFor(other, bound))).toMatchObject({ end: { kind: 'published' } });
    const named = asked({ dependencies: [{ alias: 'base', appReleaseDigest: other.releaseDigest }] });
    expect(await refusedBy(named, organization)).toEqual({ codes: [code], rules: ['PREP-03'] });
  });

  it('refused: cat:PREP-03 cat:BUN-18 a component refers to one that the resolved release does not have', async () => {
    const ref = { dependency_alias: 'base', namespace_id: `${BASE}.x`, component_kind: 'io.nexuscrm.record-layout.v1', business_key: 'k' };
    const dangling = await world.release(
      (draft) => {
        whole(draft);
        draft.components.length = 0;
        addLayout(draft, NAMESPACE, [ref]);
      },
      APP,
      '1.1.0',
    );
    const { codes, rules } = await refusedBy(asked({ appReleaseDigest: dangling.releaseDigest }));
    expect([codes, rules]).toEqual([['EXTERNAL_COMPONENT_ABSENT'], ['PREP-03']]);
  });
});

describe('preparation › PREP-04 and PREP-05, ownership', () => {
  const componentId = () => Digest.bytes(app.bundle.components[0]?.component_id as Digest);

  it.each([NAMESPACE, APP, `${NAMESPACE}.deep`])('refused: cat:PREP-04 cat:MAN-11 another live installation claims %s', async (claimed) => {
    const row = [ORG, claimed, 'other', claimed].map((text) => Buffer.from(text));
    await schema.sql('INSERT INTO cat_namespace_claim VALUES (?, ?, ?, 1, ?)', row);
    const refused = await refusedBy(asked());
    await schema.sql('DELETE FROM cat_namespace_claim WHERE app_installation_id = ?', [Buffer.from('other')]);
    expect(refused).toEqual({ codes: ['NAMESPACE_OVERLAP'], rules: ['PREP-04'] });
  });

  it('refused: cat:PREP-05 a component is owned by another App', () =>
    altered('cat_component_owner', `app_id = 'dev.other.app'`, 'component_id = ?', [componentId()], async () => {
      expect(await refusedBy(asked())).toEqual({ codes: ['COMPONENT_OWNED'], rules: ['PREP-05'] });
    }));
});

describe('preparation › PREP-06 to PREP-08, platform', () => {
  it.each([
    ['another major', { protocols: [offer('dev.example.wire', 2, 2), offer('dev.example.host-sdk')] }, 'PROTOCOL_INCOMPATIBLE'],
    ['a lower minor', { protocols: [offer('dev.example.wire', 1, 1), offer('dev.example.host-sdk')] }, 'PROTOCOL_INCOMPATIBLE'],
    ['no such host', { protocols: [offer('dev.example.wire', 1, 2)] }, 'PROTOCOL_INCOMPATIBLE'],
    ['an engine without the capability (cat:MAN-30)', { engine_capabilities: [] }, 'ENGINE_CAPABILITY_UNKNOWN'],
  ])('refused: cat:PREP-06 the platform offers %s', async (_what, over, code) => {
    world.offered = { ...OFFERED, ...over };
    expect(await refusedBy(asked())).toEqual({ codes: [code], rules: ['PREP-06'] });
  });

  it('refused: cat:PREP-07 the schema does not serve a component kind of the release', async () => {
    world.offered = { ...OFFERED, schema: { generation: '7', components: [] } };
    expect(await refusedBy(asked())).toEqual({ codes: ['SCHEMA_NOT_READY'], rules: ['PREP-07'] });
  });

  it.each([
    ['the deployment does not know', 'dev.example.nobody', 'WORKLOAD_UNKNOWN'],
    ['is not canonical', 'Dev.Example', 'ID_NOT_CANONICAL'],
  ])('refused: cat:PREP-08 a workload that %s', async (_what, workloadId, code) => {
    const grants = [...asked().grants, { workloadId, capabilities: [] }];
    expect(await refusedBy(asked({ grants }))).toEqual({ codes: [code], rules: ['PREP-08'] });
  });
});

describe('preparation › PREP-09 to PREP-11, grants and bindings', () => {
  const RECORDS = 'runtime.records.write.v1';
  const granted = (...capabilities: string[]) => ({ grants: [{ workloadId: WORKLOAD, capabilities }] });

  it('refused: cat:PREP-09 cat:INST-06 a grant that no handler of the release needs', async () => {
    expect(await refusedBy(asked(granted(RECORDS, 'runtime.other.v1')))).toEqual({ codes: ['GRANT_EXCESS'], rules: ['PREP-09'] });
  });

  it('refused: cat:PREP-09 cat:MAN-30 a declared capability that the Runtime does not have', async () => {
    world.offered = { ...OFFERED, runtime_capabilities: [] };
    expect(await refusedBy(asked())).toEqual({ codes: ['RUNTIME_CAPABILITY_UNKNOWN'], rules: ['PREP-09'] });
  });

  const bound = (over: object) => ({ handlerBindings: asked().handlerBindings.map((binding) => ({ ...binding, ...over })) });

  it('refused: cat:PREP-10 a service handler has no binding', async () => {
    expect(await refusedBy(asked({ handlerBindings: [] }))).toEqual({ codes: ['HANDLER_BINDING_MISSING'], rules: ['PREP-10'] });
  });

  it('refused: cat:PREP-10 cat:BIND-10 a binding of a capability that the release does not declare', async () => {
    const more = [...asked().handlerBindings, { ...asked().handlerBindings[0], capabilityId: 'dev.other.work.v1' }];
    const handlerBindings = more as AskedInstallation['handlerBindings'];
    expect(await refusedBy(asked({ handlerBindings }))).toEqual({ codes: ['CAPABILITY_UNDECLARED'], rules: ['PREP-10'] });
  });

  it('refused: cat:PREP-10 cat:BIND-13 the named release attests other HandlerRefs, or no release is known by the digest', async () => {
    const service_releases = [
      { service_release_digest: SERVICE_RELEASE, handlers: [{ handler_ref: `${APP}.handler.work.v2`, protocol_minor: 0 }] },
    ];
    world.offered = { ...OFFERED, workloads: [{ workload_id: WORKLOAD, service_releases }] };
    expect(await refusedBy(asked())).toEqual({ codes: ['HANDLER_NOT_ATTESTED'], rules: ['PREP-10'] });
    const unknown = asked(bound({ serviceReleaseDigest: FRONTEND_RELEASE }));
    expect(await refusedBy(unknown)).toEqual({ codes: ['SERVICE_RELEASE_UNKNOWN'], rules: ['PREP-10'] });
  });

  it('refused: cat:PREP-10 cat:BIND-08 the workload holds not what the handler needs, or is not authorized at all', async () => {
    expect(await refusedBy(asked(granted()))).toEqual({ codes: ['CAPABILITY_NOT_GRANTED'], rules: ['PREP-10'] });
    const { codes } = await refusedBy(asked({ grants: [] }));
    expect(codes).toEqual(['WORKLOAD_NOT_AUTHORIZED']);
  });

  it('refused: cat:PREP-11 cat:A-35 a required frontend is not bound, not known, or of another contribution schema', async () => {
    expect(await refusedBy(asked({ frontendReleaseDigest: null }))).toEqual({ codes: ['FRONTEND_BINDING_MISSING'], rules: ['PREP-11'] });
    expect((await refusedBy(asked({ frontendReleaseDigest: SERVICE_RELEASE }))).codes).toEqual(['FRONTEND_RELEASE_UNKNOWN']);
    const [frontend] = OFFERED.frontends;
    world.offered = {
      ...OFFERED,
      frontends: [{ ...frontend, contribution_schema: offer('dev.example.parts', 2) }] as typeof OFFERED.frontends,
    };
    expect((await refusedBy(asked())).codes).toEqual(['FRONTEND_INCOMPATIBLE']);
  });

  it('refused: a frontend for a release that has none', async () => {
    const clash = await world.release(undefined, CLASH);
    expect(await refusedBy(askedFor(clash, { frontendReleaseDigest: FRONTEND_RELEASE }))).toEqual({
      codes: ['FRONTEND_SHAPE'],
      rules: ['PREP-11'],
    });
  });
});

describe('preparation, whole', () => {
  it('refused: every failed check is told at once, whatever the others found (decisions 12.11, cat:FAIL-04)', async () => {
    world.offered = platform({ workloads: [] });
    const { rules } = await refusedBy(asked({ dependencies: [], frontendReleaseDigest: null }));
    expect([...rules].sort()).toEqual(['PREP-03', 'PREP-06', 'PREP-07', 'PREP-08', 'PREP-10', 'PREP-11']);
  });

  it('published: with every check true the same App becomes ACTIVE, its frontend and its claims with it (cat:INST-05)', async () => {
    expect(await world.install(ORG, asked())).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
    const claims = await schema.sql('SELECT namespace_id FROM cat_namespace_claim WHERE open_namespace_id IS NOT NULL');
    expect(claims.map((row) => String(row['namespace_id']))).toEqual([NAMESPACE]);
    const active = await schema.sql(
      'SELECT active_capability_id FROM cat_binding_state WHERE organization_id = ? AND active_capability_id IS NOT NULL ORDER BY 1',
      [Buffer.from(ORG)],
    );
    expect(active.map((row) => String(row['active_capability_id']))).toEqual([`${BASE}.work.v1`, `${APP}.work.v1`, 'frontend']);
  });

  it('refused: cat:PREP-01 cat:A-39 a blocked release, and a revoked key, take no new candidate; what is ACTIVE stays', async () => {
    await blockRelease(schema.db, { appId: app.appId, releaseDigest: app.releaseDigest, reason: 'test' }, asking());
    const other = await world.install('org-2', askedFor(app));
    expect(other).toMatchObject({ kind: 'refused' });
    const codes = other.kind === 'refused' ? other.refusal.faults.map(({ code }) => code) : [];
    expect(codes).toContain('RELEASE_BLOCKED');
    const { keyId } = world.signer;
    await revokePublisherKey(schema.db, { publisherId: app.publisherId, keyId, reason: 'lost' }, asking());
    const again = await world.install('org-2', askedFor(base));
    expect(again.kind === 'refused' && again.refusal.faults.map(({ code }) => code)).toEqual(['KEY_REVOKED']);
    const [row] = await schema.sql('SELECT COUNT(*) AS live FROM cat_installation WHERE state = ?', [Buffer.from('ACTIVE')]);
    expect(Number(row?.['live'])).toBe(5);
  });
});
