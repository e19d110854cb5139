import { PublisherId } from '@connector/catalog/model/identifier';
import { KeyId } from '@connector/catalog/model/signing';
import { listPublishers, readPublisher, readPublisherKey, type ShownKey } from '@connector/catalog/reads/publishers';
import type { Db } from '@connector/platform/db/db';
import { argument } from '@connector/kernel/faults';
import { KEY_ADDED, KEY_REVOKED, PUBLISHER_ADDED, PUBLISHER_DETAIL, PUBLISHERS } from './api/registry-shapes';
import { askCatalog } from './ask-catalog';
import type { OwnerClient } from './owner-client';
import { planDigest, type PlannedAct } from './plan';
import { type AddKeyBody, type AddPublisherBody, askingIn, type PageQuery, type RevokeKeyBody } from './registry-bodies';
import { type KeyOfPublisher, revokeKeyPlan } from './registry-plans';
import { planOfDigest } from './registry-confirm';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const page = shownAs(PUBLISHERS);
const detail = shownAs(PUBLISHER_DETAIL);

/** The operator's registry of trust as people see and change it. Reading is here; the catalog writes (cat:PUB-01). */
export class Publishers {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  async list({ limit, after }: PageQuery) {
    return page(await listPublishers(this.db, limit, after));
  }

  async get(text: string) {
    return detail(await this.#shown(text));
  }

  add({ publisher_id: publisher, app_prefixes, ...asking }: AddPublisherBody) {
    const body = app_prefixes === undefined ? {} : { app_prefixes };
    const at = `/v1/publishers/${encodeURIComponent(publisher)}`;
    return askCatalog(this.catalog, { method: 'PUT', at, body, asking: askingIn(asking) }, ADDED);
  }

  addKey({ publisher_id: publisher, public_key_base64, valid_from, valid_until, ...keyed }: AddKeyBody) {
    const body = { public_key_base64, valid_from, ...(valid_until === undefined ? {} : { valid_until }) };
    const at = `/v1/publishers/${encodeURIComponent(publisher)}/keys`;
    return askCatalog(this.catalog, { method: 'POST', at, body, asking: askingIn(keyed) }, KEYED);
  }

  async planRevokeKey(publisher: string, key: string): Promise<PlannedAct> {
    const { valid_from, valid_until } = { ...window(await this.#key({ publisher, key })) };
    const plan = revokeKeyPlan({ publisher, key });
    const digest = planDigest(plan);
    const confirm = `connector publishers revoke-key ${publisher} ${key} --reason "..." --confirm ${digest}`;
    return { plan, digest, estimate: { valid_from, valid_until }, confirm };
  }

  async revokeKey(body: RevokeKeyBody) {
    const { publisher_id: publisher, key_id: key, confirm, by, reason } = body;
    planOfDigest(revokeKeyPlan({ publisher, key }), confirm, `connector publishers revoke-key ${publisher} ${key} --plan`);
    const at = `/v1/publishers/${encodeURIComponent(publisher)}/keys/${encodeURIComponent(key)}/revoke`;
    const asked = { method: 'POST', at, body: { reason: `${by}: ${reason}` }, asking: askingIn(body) } as const;
    return askCatalog(this.catalog, asked, REVOKED);
  }

  async #shown(text: string) {
    const shown = await readPublisher(this.db, argument('publisher_id', PublisherId, text));
    if (shown !== undefined) return shown;
    throw new RowProblem('NotFound', { detail: `${text}: no such publisher is registered.`, nextSteps: ['connector publishers list'] });
  }

  async #key({ publisher, key }: KeyOfPublisher): Promise<ShownKey> {
    const keyId = argument('key_id', KeyId, key);
    const { publisherId } = await this.#shown(publisher);
    const found = await readPublisherKey(this.db, PublisherId.parse(publisherId), keyId);
    if (found !== undefined && found.revokedAt === null) return found;
    const nextSteps = [`connector publishers get ${publisher}`];
    if (found === undefined) throw new RowProblem('NotFound', { detail: `${key}: ${publisher} has no such key.`, nextSteps });
    const actual = { revoked_at: found.revokedAt, reason: found.reason };
    throw new RowProblem('CatalogRefused', { detail: `${key}: the key is revoked already. Nothing was written.`, actual, nextSteps });
  }
}

const ADDED = shownAs(PUBLISHER_ADDED);
const KEYED = shownAs(KEY_ADDED);
const REVOKED = shownAs(KEY_REVOKED);
const window = ({ validFrom, validUntil }: ShownKey) => ({ valid_from: validFrom, valid_until: validUntil });
