import { stageBinding } from '@connector/catalog/transitions/binding/stage-binding.tx';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import { abandonCandidate } from '@connector/catalog/transitions/installation/abandon-candidate.tx';
import { finishAbandonment } from '@connector/catalog/transitions/installation/finish-abandonment.tx';
import { finishRemoval } from '@connector/catalog/transitions/installation/finish-removal.tx';
import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { openRemoval } from '@connector/catalog/transitions/installation/open-removal.tx';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import { supersedeAbandonment } from '@connector/catalog/transitions/installation/supersede-abandonment.tx';
import { withdraw } from '@connector/catalog/transitions/installation/withdraw.tx';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import type { AppRelease } from '@connector/catalog/model/release';
import { OperationId } from '@connector/kernel/ids';
import type { TestSchema } from '@connector/testing/database';
import type { Part } from '@connector/testing/explorer/schedule';
import { Life } from '@connector/testing/fixtures/life';
import {
  askedFor,
  platform,
  publicationWorld,
  type PublicationWorld,
  SERVICE_RELEASE,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { asking } from '@connector/testing/fixtures/registry';
import type { Group, Site, World } from './group';

const PUBLISHER = 'dev.lifecycle';
const [APP, OTHER] = [`${PUBLISHER}.one`, `${PUBLISHER}.two`] as const;

interface Registered {
  readonly world: PublicationWorld;
  readonly first: AppRelease;
  readonly second: AppRelease;
}
const registered = new WeakMap<TestSchema, Registered>();

/** Of every schedule the same publisher and Apps, in organizations of their own; anew where a group that takes everything away was between. */
async function registeredIn(schema: TestSchema): Promise<Registered> {
  const known = registered.get(schema);
  const stands = await schema.sql('SELECT 1 FROM cat_publisher WHERE publisher_id = ?', [Buffer.from(PUBLISHER)]);
  if (known !== undefined && stands.length > 0) return known;
  const world = await publicationWorld(schema, { publisher: PUBLISHER, offered: platform({}, [APP, OTHER]) });
  const made = { world, first: await world.release(undefined, APP), second: await world.release(undefined, APP, '2.0.0') };
  registered.set(schema, made);
  return made;
}

/** An App that is ACTIVE in an organization of its own, another release of it, and an App that depends on the one that is ACTIVE. */
class Standing {
  private constructor(
    readonly life: Life,
    private readonly world: PublicationWorld,
    private readonly second: AppRelease,
    private readonly first: AppRelease,
  ) {}

  static async open(site: Site): Promise<Standing> {
    const { world, first, second } = await registeredIn(site.schema);
    const life = await Life.active(site.schema, world, first, `org-${site.word()}`);
    return new Standing(life, world, second, first);
  }

  of(parts: readonly Part[]): World {
    return { parts, watch: { accounts: [], organizations: [this.life.organization] } };
  }

  async removes(request = asking()): Promise<Part> {
    const head = await this.world.security.readHead(this.life.organization);
    if (head.kind !== 'head') throw new RangeError('no head');
    const input = { ...(await this.life.seen()), basis: head, commandId: OperationId.mint() };
    return { name: 'remove', open: (db) => openRemoval(db, input, request) };
  }

  async installsDependent(): Promise<Part> {
    const range = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '2.0.0' };
    const dependent = await this.world.release((draft) => {
      draft.manifest['dependencies'] = [{ alias: 'base', app_id: this.first.appId, ...range, required_capabilities: [] }];
    }, OTHER);
    const asked = askedFor(dependent, { dependencies: [{ alias: 'base', appReleaseDigest: this.first.releaseDigest }] });
    const [input, request] = [await this.world.input(this.life.organization, asked), asking()];
    return { name: 'install dependent', open: (db) => openPublication(db, input, request) };
  }

  async installsAgain(): Promise<Part> {
    const [input, request] = [await this.world.input(this.life.organization, askedFor(this.first)), asking()];
    return { name: 'install again', open: (db) => openPublication(db, input, request) };
  }

  /** An upgrade that waits for its step 4. */
  async upgrading(): Promise<OpenAttempt> {
    const run = await this.life.opened('upgrade', this.second);
    await run.toPublish();
    return run.at;
  }

  /** An upgrade that was abandoned after its command was sent; what takes it back waits for its step 4. */
  async abandoning(): Promise<OpenAttempt> {
    const { at } = await this.life.opened('upgrade', this.second).then(async (run) => (await run.toPublish(), run));
    await abandonCandidate(this.life.schema.db, await this.life.seen(), asking());
    const back = this.life.at({ kind: 'opened', attempt: at.attempt + 1n });
    await back.toPublish();
    return back.at;
  }

  /** By somebody who saw the first release ACTIVE. */
  stages(): Part {
    const { organization, installation } = this.life;
    const { appId, releaseDigest: appReleaseDigest, manifest } = this.first;
    const rebinding = { capabilityId: `${appId}.work.v1`, workloadId: WORKLOAD, artifactDigest: SERVICE_RELEASE };
    const handlers = [{ handlerRef: `${appId}.handler.work.v1`, protocolMinor: 0 }];
    const attestation = { plane: 'service', answer: { kind: 'attested', handlers } } as const;
    const staged = { organization, installation, rebinding, appReleaseDigest, manifest, attestation, receipt: Buffer.from('{}') };
    const request = asking();
    return { name: 'stage', open: (db) => stageBinding(db, staged, request) };
  }

  async abandons(): Promise<Part> {
    const [seen, request] = [await this.life.seen(), asking()];
    return { name: 'abandon', open: (db) => abandonCandidate(db, seen, request) };
  }

  async removing(): Promise<OpenAttempt> {
    const run = this.life.at(await this.life.openRemoval());
    await run.toPublish();
    return run.at;
  }

  async supersedes(at: OpenAttempt): Promise<Part> {
    const head = await this.world.security.readHead(this.life.organization);
    if (head.kind !== 'head') throw new RangeError('no head');
    return { name: 'supersede', open: (db) => supersedeAbandonment(db, at, head) };
  }

  finishes(): Part {
    const { organization, installation } = this.life;
    return { name: 'finish removal', open: (db) => finishRemoval(db, { organization, installation }) };
  }

  async retires(): Promise<Part> {
    const { organization, installation, schema } = this.life;
    const [row] = await schema.sql('SELECT binding_id FROM cat_binding_state WHERE app_installation_id = ?', [Buffer.from(installation)]);
    const [ref, request] = [{ organization, installation, bindingId: String(row?.['binding_id']) }, asking()];
    return { name: 'retire', open: (db) => retireBinding(db, ref, request) };
  }

  wants(): Part {
    const { organization, installation } = this.life;
    const input = { request: asking(), organization, installation, workload: WORKLOAD, expectedCatalogRevision: 1n, bindings: [] };
    return { name: 'want', open: (db) => setMembership(db, input) };
  }
}

const publishes = (at: OpenAttempt): Part => ({ name: 'publish', open: (db) => publish(db, { ...at, schemaGeneration: '7' }) });
const withdraws = (at: OpenAttempt): Part => ({ name: 'withdraw', open: (db) => withdraw(db, at) });
const endsAbandonment = (at: OpenAttempt): Part => ({ name: 'finish abandonment', open: (db) => finishAbandonment(db, at) });

const LINEAGE = 'cat_lineage';
/** Of one installation: its authors meet there first. */
const BARRIER = 'cat_publication_barrier';
const group = (name: string, parts: (standing: Standing) => Promise<readonly Part[]>, meets = BARRIER): Group => ({
  name,
  meets,
  arrange: async (site) => {
    const standing = await Standing.open(site);
    return standing.of(await parts(standing));
  },
});

export const LIFECYCLE: readonly Group[] = [
  group('remove | install dependent', async (standing) => [await standing.removes(), await standing.installsDependent()], LINEAGE),
  group('remove | remove', async (standing) => [await standing.removes(), await standing.removes()]),
  group('abandon | publish', async (standing) => {
    const at = await standing.upgrading();
    return [await standing.abandons(), publishes(at)];
  }),
  group('stage | publish', async (standing) => {
    const at = await standing.upgrading();
    return [standing.stages(), publishes(at)];
  }),
  group('stage | withdraw', async (standing) => {
    const at = await standing.removing();
    return [standing.stages(), withdraws(at)];
  }),
  group('supersede | finish abandonment', async (standing) => {
    const at = await standing.abandoning();
    return [await standing.supersedes(at), endsAbandonment(at)];
  }),
  group('withdraw | want', async (standing) => {
    const at = await standing.removing();
    return [withdraws(at), standing.wants()];
  }),
  group('finish removal | retire', async (standing) => {
    await standing.life.withdrawn();
    return [standing.finishes(), await standing.retires()];
  }),
  group(
    'finish removal | install again',
    async (standing) => {
      await standing.life.withdrawn();
      await standing.life.retired();
      return [standing.finishes(), await standing.installsAgain()];
    },
    LINEAGE,
  ),
];
