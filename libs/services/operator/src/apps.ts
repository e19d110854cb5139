import { AppId, PublisherId } from '@connector/catalog/model/identifier';
import { listApps, readReleasesOf, readTransferOffer } from '@connector/catalog/reads/app-list';
import { type App, readApp } from '@connector/catalog/reads/apps';
import { readPublisher } from '@connector/catalog/reads/publishers';
import { Digest } from '@connector/kernel/digest';
import type { Db } from '@connector/platform/db/db';
import { argument } from '@connector/kernel/faults';
import { APP_DETAIL, APPS, RECOVERED, TRANSFER_OFFERED, TRANSFERRED } from './api/registry-shapes';
import { askCatalog } from './ask-catalog';
import type { OwnerClient } from './owner-client';
import { planDigest, type Plan, type PlannedAct } from './plan';
import { type AcceptBody, askingIn, type OfferTransferBody, type PageQuery, type RecoverBody } from './registry-bodies';
import { planOfDigest } from './registry-confirm';
import { acceptPlan, type OwnershipMove, recoverPlan } from './registry-plans';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';
import { trustRefused } from './trust-refusals';

const page = shownAs(APPS);
const detail = shownAs(APP_DETAIL);
const offered = shownAs(TRANSFER_OFFERED);
const transferred = shownAs(TRANSFERRED);
const recovered = shownAs(RECOVERED);
const pathOf = (app: string): string => `/v1/apps/${encodeURIComponent(app)}`;

/** Who owns which App. An owner's signature offers it; the operator's word moves it (cat:PUB-06, PUB-07, PUB-12). */
export class Apps {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
    /** The catalog as a publisher is let into it. */
    private readonly asPublisher: OwnerClient,
  ) {}

  async list({ limit, after }: PageQuery) {
    return page(await listApps(this.db, limit, after));
  }

  async get(text: string) {
    const { firstPublisherId: _reservedBy, more, ...app } = await this.#app(text);
    const releases = await readReleasesOf(this.db, app.appId);
    return detail({ ...app, releases: releases.rows, more: { ...more, releases: releases.more } });
  }

  transfer({ app_id: app, statement_base64, signature_base64, ...keyed }: OfferTransferBody) {
    const body = { statement_base64, signature_base64 };
    const asking = askingIn(keyed);
    return askCatalog(this.asPublisher, { method: 'POST', at: `${pathOf(app)}/transfers`, body, asking }, offered);
  }

  async planAccept(app: string, transfer: string): Promise<PlannedAct> {
    const [owned, { plan, move }] = [await this.#app(app), await this.#acceptance(app, transfer)];
    if (owned.ownershipEpoch.toString() !== move.epoch) {
      const actual = { ownership_epoch: owned.ownershipEpoch.toString(), publisher_id: owned.publisherId };
      const detail = `The offer is of ownership epoch ${move.epoch}, which has passed. Nothing was written.`;
      throw new RowProblem('CatalogRefused', { detail, actual, nextSteps: [`connector apps get ${app}`] });
    }
    return plannedAs(plan, (digest) => `connector apps accept ${app} ${transfer} --confirm ${digest}`);
  }

  async accept({ app_id: app, transfer_id: transfer, confirm, ...keyed }: AcceptBody) {
    planOfDigest((await this.#acceptance(app, transfer)).plan, confirm, `connector apps accept ${app} ${transfer} --plan`);
    const at = `${pathOf(app)}/transfers/${encodeURIComponent(transfer)}/accept`;
    return askCatalog(this.catalog, { method: 'POST', at, body: {}, asking: askingIn(keyed) }, transferred);
  }

  async planRecover(app: string, to: string): Promise<PlannedAct> {
    const { publisherId, ownershipEpoch } = await this.#app(app);
    const move = { app, from: publisherId, to: argument('to_publisher_id', PublisherId, to), epoch: ownershipEpoch.toString() };
    const stands = { app_id: app, owner_publisher_id: publisherId };
    if (to === publisherId) throw trustRefused({ code: 'SAME_PUBLISHER', ...stands });
    if ((await readPublisher(this.db, move.to)) === undefined) throw trustRefused({ code: 'PUBLISHER_UNKNOWN', ...stands });
    const expected = `--from ${move.from} --expected-epoch ${move.epoch}`;
    return plannedAs(
      recoverPlan(move),
      (digest) => `connector apps recover ${app} --to ${to} ${expected} --reason "..." --confirm ${digest}`,
    );
  }

  async recover(body: RecoverBody) {
    const { app_id: app, from_publisher_id: from, to_publisher_id: to, expected_ownership_epoch: epoch } = body;
    planOfDigest(recoverPlan({ app, from, to, epoch }), body.confirm, `connector apps recover ${app} --to ${to} --plan`);
    const asked = { from_publisher_id: from, to_publisher_id: to, expected_ownership_epoch: epoch, reason: `${body.by}: ${body.reason}` };
    const asking = askingIn(body);
    return askCatalog(this.catalog, { method: 'POST', at: `${pathOf(app)}/recoveries`, body: asked, asking }, recovered);
  }

  async #app(text: string): Promise<App> {
    const app = await readApp(this.db, argument('app_id', AppId, text));
    if (app !== undefined) return app;
    throw new RowProblem('NotFound', { detail: `${text}: no such App is reserved.`, nextSteps: ['connector apps list'] });
  }

  /** What the owner signed stands for ever, so its plan can be made again after it was carried out. */
  async #acceptance(app: string, transfer: string): Promise<{ readonly plan: Plan; readonly move: OwnershipMove }> {
    const transferId = argument('transfer_id', Digest, transfer);
    const offer = await readTransferOffer(this.db, argument('app_id', AppId, app), transferId);
    if (offer === undefined) {
      throw new RowProblem('NotFound', { detail: `${transfer}: ${app} has no such offer.`, nextSteps: [`connector apps get ${app}`] });
    }
    const { from_publisher_id: from, to_publisher_id: to, expected_ownership_epoch: epoch } = offer;
    const move = { app, from, to, epoch };
    return { plan: acceptPlan(move, transferId), move };
  }
}

function plannedAs(plan: Plan, confirm: (digest: Digest) => string): PlannedAct {
  const digest = planDigest(plan);
  return { plan, digest, estimate: {}, confirm: confirm(digest) };
}
