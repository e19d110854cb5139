import { RowProblem } from './row-problem';

type Members = Readonly<Record<string, unknown>>;
interface Said {
  readonly detail: string;
  /** Where what stands in the way is seen. */
  readonly look: (body: Members) => string;
}

const ofPublisher = (detail: string): Said => ({
  detail,
  look: (body) => `connector publishers get ${String(body['owner_publisher_id'] ?? body['publisher_id'])}`,
});
const ofApp = (detail: string): Said => ({ detail, look: (body) => `connector apps get ${String(body['app_id'])}` });

/** What the registry answers a signer, an owner or a release with, in words (cat:PUB-01 to PUB-12, cat:SLOT-01). */
const SAID: ReadonlyMap<unknown, Said> = new Map(
  Object.entries({
    PUBLISHER_UNKNOWN: { detail: 'No publisher of this id is registered.', look: () => 'connector publishers list' },
    KEY_UNKNOWN: ofPublisher('The key that signed it is registered for nobody.'),
    KEY_FOREIGN: ofPublisher('The key that signed it is of another publisher.'),
    KEY_REVOKED: ofPublisher('The key that signed it is revoked.'),
    KEY_NOT_YET_VALID: ofPublisher('The key that signed it is not accepted yet.'),
    KEY_EXPIRED: ofPublisher('The key that signed it is not accepted any more.'),
    KEY_MISMATCH: ofPublisher('The statement names another key than the one that signed it.'),
    SIGNATURE_INVALID: ofPublisher('The signature is not of these bytes under this key.'),
    APP_ID_OUTSIDE_PREFIX: ofPublisher('The publisher reserves no Apps under this name: it begins with none of its prefixes.'),
    APP_ID_RESERVED: ofApp('The App is of another publisher.'),
    OWNER_MISMATCH: ofApp('The App has another owner by now.'),
    OWNERSHIP_EPOCH_STALE: ofApp('The App has another ownership epoch by now.'),
    SAME_PUBLISHER: ofApp('The App is of this publisher already.'),
    COMPONENT_OWNED: ofApp('Another App owns a component of it.'),
    CAPABILITY_OWNED: ofApp('Another App owns a capability of it.'),
    DEPENDENCY_CYCLE: ofApp('The App would depend on itself.'),
  }),
);

/** Refused by the rules of trust, names and slots: `code` says by which, and where it is told in words, what to look at. */
export function trustRefused(body: Members): RowProblem {
  const said = SAID.get(body['code']) ?? ofApp('The registry refused it by its rules of trust, names or slots; `code` says by which.');
  return new RowProblem('CatalogRefused', { detail: `${said.detail} Nothing was written.`, nextSteps: [said.look(body)], actual: body });
}
