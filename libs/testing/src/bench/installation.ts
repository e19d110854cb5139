import type { RuntimeSecurity } from '@connector/catalog/contract/runtime-security';
import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { RECORD_LAYOUT_KIND } from '@connector/catalog/model/component-kinds';
import { type AppRelease, openRelease } from '@connector/catalog/model/release';
import type { Db } from '@connector/platform/db/db';
import type { StepPoint } from '@connector/platform/db/step-hook';
import { unprojectedHead } from '@connector/security/contract/projection';
import { readSecurityHead } from '@connector/security/reads/security-head';
import { advanceAppGrants } from '@connector/security/transitions/advance-app-grants.tx';
import { artifactsInDatabase } from '@connector/services/catalog/src/artifacts-in-database';
import type { PreparationParts } from '@connector/services/catalog/src/installations/gather';
import { prepareInstallation } from '@connector/services/catalog/src/installations/install';
import { mainSchema, type TestSchema } from '../database';
import { layout, type ReleaseDraft } from '../fixtures/app-release';
import { APP, askedFor, OTHER_APP, platform, publicationWorld, type PublicationWorld } from '../fixtures/publication';
import { asking } from '../fixtures/registry';
import { figureLine, latencyLines, type Line, ratioLine } from './line';
import { bothSides, rounds, timed } from './rounds';
import { ratiosOf, spreadOf } from './statistics';

const COMPONENTS = 1_000;
const COUNTED = 'as counted; BEGIN and COMMIT, and reads outside a door, are not among them';

/**
 * From what an operator asks to the ACTIVE tuple, through the doors of Catalog and of Runtime security and the tables of the artifact registry; no
 * HTTP between them. Every round installs an App of one component and one of many, each in an organization of its own.
 */
export async function benchInstallation(seconds: number, say: (line: string) => void): Promise<readonly Line[]> {
  const schema = await mainSchema();
  try {
    const counted = new Counted();
    const db = schema.another((at) => counted.hear(at));
    const world = await worldOf(schema);
    const [small, large] = [await world.release(layouts(APP, 1), APP), await world.release(layouts(OTHER_APP, COMPONENTS), OTHER_APP)];
    const parts = await realParts(db, world, [small, large]);
    const install = async (release: AppRelease, organization: string): Promise<Spent> => {
      counted.begin();
      const ms = await timed(() => installed(parts, release, organization));
      return { ms, statements: counted.told() };
    };
    say(`installations of one component and of ${COMPONENTS}, in turn`);
    const pairs = await rounds(2 * seconds, (smallFirst, at) =>
      bothSides(
        smallFirst,
        () => install(small, `small-${at}`),
        () => install(large, `large-${at}`),
      ),
    );
    return linesOf(pairs);
  } finally {
    await schema.close();
  }
}

type Pair = readonly [small: Spent, large: Spent];
interface Spent {
  readonly ms: number;
  readonly statements: ReadonlyMap<string, number>;
}

function linesOf(pairs: readonly Pair[]): readonly Line[] {
  const doors = new Map(pairs.flatMap(([{ statements }]) => [...statements]));
  const doorLines = [...doors.keys()].map((door) => {
    const counts = pairs.flatMap((pair) => pair.map(({ statements }) => statements.get(door) ?? 0));
    return figureLine('h', `  ${door}`, spreadOf(counts), 'statements');
  });
  const all = ({ statements }: Spent): number => [...statements.values()].reduce((sum, count) => sum + count, 0);
  const ratio = spreadOf(ratiosOf(pairs.map(([small, large]) => [all(large), all(small)])));
  const ms = (side: 0 | 1): readonly number[] => pairs.map((pair) => pair[side].ms);
  return [
    ...latencyLines('h', 'installation prepared and published, one component', ms(0)),
    ...latencyLines('h', `installation prepared and published, ${COMPONENTS} components`, ms(1), 'every blob is read and hashed again'),
    ratioLine('h', `statements in doors, ${COMPONENTS} components against one`, ratio, { must: 'at most', than: 1 }, COUNTED),
    ...doorLines,
  ];
}

/** Statements of one installation, by door. */
class Counted {
  readonly #counts = new Map<string, number>();

  begin(): void {
    this.#counts.clear();
  }

  hear({ door, step }: StepPoint): void {
    if (step.includes(' ')) this.#counts.set(door, (this.#counts.get(door) ?? 0) + 1);
  }

  told(): ReadonlyMap<string, number> {
    return new Map(this.#counts);
  }
}

function worldOf(schema: TestSchema): Promise<PublicationWorld> {
  const base = platform();
  const needs = [{ component_kind: RECORD_LAYOUT_KIND, format_version: 1 }];
  return publicationWorld(schema, { offered: { ...base, schema: { ...base.schema, components: needs } } });
}

const layouts =
  (appId: string, components: number) =>
  (draft: ReleaseDraft): void => {
    const namespace = `${appId}.layouts`;
    draft.manifest['owned_namespaces'] = [namespace];
    for (let index = 0; index < components; index += 1) {
      const { descriptor, behavior } = layout(namespace, `k${index}`);
      draft.components.push(descriptor);
      draft.behaviors.set(String(descriptor['component_id']), behavior);
    }
    draft.components.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1));
  };

/** In place of what the world keeps in memory: the tables, with the blobs of these releases in them. */
async function realParts(db: Db, world: PublicationWorld, releases: readonly AppRelease[]): Promise<PreparationParts> {
  const artifacts = artifactsInDatabase(db);
  for (const digest of new Set(
    releases.flatMap(({ manifestBytes: manifest, bundleBytes: bundle }) => openRelease({ manifest, bundle }).needed),
  )) {
    const [blob] = await world.artifacts.get([digest]);
    if (blob?.kind !== 'found') throw new Error(`a blob is ${blob?.kind ?? 'not answered'}`);
    const { kind } = await artifacts.put(digestsOf(blob), blob);
    if (kind !== 'stored') throw new Error(`a blob was not stored: ${kind}`);
  }
  return { ...world.parts, db, artifacts, security: securityOf(db) };
}

function securityOf(db: Db): RuntimeSecurity {
  return {
    readHead: async (organization) => ({
      kind: 'head',
      ...((await readSecurityHead(db, organization)) ?? unprojectedHead(organization)),
    }),
    advance: async (command) => {
      const answer = await advanceAppGrants(db, command);
      if (answer.kind !== 'bound') throw new Error(`the App grants were not advanced: ${answer.kind}`);
      return answer;
    },
  };
}

async function installed(parts: PreparationParts, release: AppRelease, organization: string): Promise<void> {
  const answer = await prepareInstallation(parts, { organization, existing: null, asked: askedFor(release) }, asking());
  if (answer.kind !== 'opened' || answer.end.kind !== 'published')
    throw new Error(`${release.appId} was not published: ${answer.kind === 'opened' ? answer.end.kind : answer.kind}`);
}
