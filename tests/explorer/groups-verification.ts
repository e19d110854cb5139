import type { AccountName } from '@connector/kernel/brand';
import { ConfigurationId, EpochId, OperationId } from '@connector/kernel/ids';
import type { ViewBinding } from '@connector/catalog/model/documents';
import { type CurrentView, readCurrentView, type ViewScope } from '@connector/catalog/reads/current-view';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import type { Owners } from '@connector/connector/contract/owners';
import type { EpochQuestion } from '@connector/connector/model/serving/owner-answers';
import { authorConfiguration } from '@connector/control/transitions/author-configuration.tx';
import { registerPack } from '@connector/packs/transitions/register-pack.tx';
import type { Db } from '@connector/platform/db/db';
import { Epochs } from '@connector/services/cutover-coordinator/src/epochs';
import type { Part } from '@connector/testing/explorer/schedule';
import { DEMO_POLICIES, owners } from '@connector/testing/fixtures/demo-epoch';
import { INSTALLATION, installedApp } from '@connector/testing/fixtures/installation';
import { asking } from '@connector/testing/fixtures/registry';
import type { Group, Site, World } from './group';
import { packOf } from './groups-barriers';

/** What the coordinator sees of the owners, as they are or as a mutant has them. */
export type Sees = (owners: Owners, site: EpochSite) => Owners;
const asTheyAre: Sees = (real) => real;

/** An organization whose workload is wanted to use one mapping, at revision 2, and a candidate that froze it. */
export class EpochSite {
  private constructor(
    private readonly site: Site,
    private readonly scope: ViewScope,
    /** Two definitions of one pack. */
    private readonly bindings: readonly [ViewBinding, ViewBinding],
    private readonly configurationId: ConfigurationId,
    /** The view that its candidates froze. */
    readonly frozen: CurrentView,
  ) {}

  static async open(site: Site): Promise<EpochSite> {
    const word = site.word();
    const pack = packOf(word, '1.0.0');
    const { db } = site.schema;
    const scope = { organization: pack.organization, installation: INSTALLATION, workload: 'wl.workbench' };
    const placed = await registerPack(db, pack);
    if (!('storageId' in placed)) throw new RangeError(placed.kind);
    const bindingOf = (kind: ViewBinding['kind']): ViewBinding => ({
      ...{ kind, owner_pack: `dev.${pack.organization}`, pack_installation_id: placed.packInstallationId, credential_refs: [] },
      ...{ pack_payload_digest: placed.payloadDigest, business_key: `record/${kind}`, definition_version: '1' },
    });
    await site.together(() => installedApp(site.schema, { organization: pack.organization }));
    const bindings = [bindingOf('field-mapping'), bindingOf('push-contract')] as const;
    await setMembership(db, { request: asking(), ...scope, expectedCatalogRevision: 1n, bindings: bindings.slice(0, 1) });
    const frozen = await readCurrentView(db, scope, 2n);
    return new EpochSite(site, scope, bindings, await configured(db, word), frozen);
  }

  of(epochs: readonly EpochId[], ...parts: readonly Part[]): World {
    const words = [this.bindings[0].pack_installation_id];
    return { parts, watch: { accounts: [], organizations: [this.scope.organization], epochs, words } };
  }

  /** The first so many of its definitions, and no other. */
  private sets(db: Db, expectedCatalogRevision: bigint, count: 1 | 2) {
    const bindings = this.bindings.slice(0, count);
    return setMembership(db, { request: asking(), ...this.scope, expectedCatalogRevision, bindings });
  }

  /** The membership changes once, or away and back again: equal rows, and another revision. */
  membership(times: 1 | 2): Part {
    const open = async (db: Db): Promise<unknown> => {
      const away = await this.sets(db, 2n, 2);
      return times === 1 ? away : this.sets(db, 3n, 1);
    };
    return { name: 'membership', open };
  }

  async prepared(): Promise<EpochId> {
    const epochId = EpochId.mint();
    const { kind } = await this.coordinator(this.site.schema.db, asTheyAre).prepare(epochId, this.question);
    if (kind !== 'prepared') throw new RangeError(kind);
    return epochId;
  }

  prepares(epochId: EpochId, sees = asTheyAre): Part {
    return { name: 'prepare', decidesAt: LOOKS, open: (db) => this.coordinator(db, sees).prepare(epochId, this.question) };
  }

  /** `after`: what a mutant does when the verification is recorded. */
  verifies(epochId: EpochId, sees = asTheyAre, after = async (_db: Db): Promise<void> => undefined): Part {
    const request = { operationId: OperationId.mint(), requestedBy: 'explored' };
    const open = async (db: Db): Promise<unknown> => {
      const answer = await this.coordinator(db, sees).verify(epochId, request);
      await after(db);
      return answer;
    };
    return { name: 'verify', decidesAt: LOOKS, open };
  }

  private coordinator(db: Db, sees: Sees): Epochs {
    return new Epochs(db, sees(owners(db), this));
  }

  private get question(): EpochQuestion {
    return { ...this.scope, minCatalogRevision: 1n, configurationId: this.configurationId };
  }
}

/** Both rest on what they see of the view there: what they write later is true of that moment (con:VERI-O). */
const LOOKS = 'read cat_view_current';

async function configured(db: Db, word: string): Promise<ConfigurationId> {
  const generationId = ConfigurationId.mint();
  const account = `${word}/acme` as AccountName;
  const configuration = {
    schema_version: 'nexuscrm.connector-service-configuration/v1' as const,
    ...{ environment_id: 'test', service_id: word, credential_relation: [] },
    accounts: [{ account, provider_organization: 'acme', channels: [], routes: [], mappings: [], policies: DEMO_POLICIES }],
  };
  const { kind } = await authorConfiguration(db, { generationId, authoredBy: 'test', configuration });
  if (kind !== 'authored') throw new RangeError(kind);
  return generationId;
}

/** Verification beside a membership that changes so many times; the other arguments are a mutant's. */
export const verifying =
  (times: 1 | 2, ...mutant: MutantOf<EpochSite['verifies']>): Group['arrange'] =>
  async (at) => {
    const site = await EpochSite.open(at);
    const epochId = await site.prepared();
    return site.of([epochId], site.membership(times), site.verifies(epochId, ...mutant));
  };
export const preparing =
  (...mutant: MutantOf<EpochSite['prepares']>): Group['arrange'] =>
  async (at) => {
    const site = await EpochSite.open(at);
    const epochId = EpochId.mint();
    return site.of([epochId], site.membership(1), site.prepares(epochId, ...mutant));
  };
type MutantOf<F> = F extends (epochId: EpochId, ...rest: infer Rest) => unknown ? Rest : never;

/** Nobody waits for a look. */
export const VERIFICATION: readonly Group[] = [
  { name: 'membership | verify', arrange: verifying(1) },
  { name: 'membership | verify, away and back', arrange: verifying(2) },
  { name: 'membership | prepare', arrange: preparing() },
];
