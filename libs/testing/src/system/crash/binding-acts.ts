import { installBody, workbenchRelease } from '@connector/services/local/src/demo/workbench-app';
import { SCOPE, WORKBENCH } from '@connector/services/local/src/demo/world';
import type { SystemUnderTest } from '../system';
import { Attempts } from './attempts';
import type { RegistryActs } from './registry-acts';

const WANTED = { capability_id: WORKBENCH.capability, workload_id: SCOPE.workload, artifact_digest: WORKBENCH.serviceRelease };

/** What serves a capability beside a publication. */
export class BindingActs {
  readonly #system: SystemUnderTest;
  readonly #registry: RegistryActs;
  readonly #attempts: Attempts;

  constructor(system: SystemUnderTest, registry: RegistryActs) {
    this.#system = system;
    this.#registry = registry;
    this.#attempts = new Attempts(registry);
  }

  /** One is staged and given up, another takes over; the one before is referred to, and is let go by a decision on it. */
  async whole(organization: string): Promise<void> {
    const installation = await this.#attempts.active(organization, installBody(workbenchRelease()));
    const place = `${installation}/handler-bindings`;
    const said = async (what: string, path: string, body: object, ...kinds: readonly string[]): Promise<string> => {
      const { body: answer } = await this.#registry.askedUnder(`${what}/${organization}/binding`, 'POST', path, body, ...kinds);
      return String(Reflect.get(answer, 'binding_id'));
    };
    const before = `${place}/${await this.#serving(organization)}`;
    const given = await said('stage-first', place, WANTED, 'staged');
    await said('fail', `${place}/${given}/fail`, {}, 'failed');
    const next = await said('stage-second', place, WANTED, 'staged');
    await said('activate', `${place}/${next}/activate`, { expected_ownership_epoch: '1' }, 'activated');
    await this.#referred(before);
    await said('decide', `${before}/retention`, { reason: 'crash matrix' }, 'decided');
    await said('decide-again', `${before}/retention`, { reason: 'crash matrix' }, 'already-decided');
    await said('retire', `${before}/retire`, {}, 'retired');
  }

  /** A reference has no key but itself: after a death behind the commit it is there already. Each is asked for once more; one stays open. */
  async #referred(binding: string): Promise<void> {
    const refer = (reference: string, kind: string, ...kinds: readonly string[]) =>
      this.#registry.asked('POST', `${binding}/references`, { reference_id: reference, kind }, ...kinds);
    const close = (...kinds: readonly string[]) => this.#registry.asked('POST', `${binding}/references/work-1/close`, {}, ...kinds);
    await refer('work-1', 'work', 'opened', 'already-open');
    await refer('work-1', 'work', 'already-open');
    await close('closed', 'already-closed');
    await close('already-closed');
    await refer('route-1', 'route', 'opened', 'already-open');
  }

  async #serving(organization: string): Promise<string> {
    const [row] = await this.#system.sql("SELECT binding_id FROM cat_binding_state WHERE organization_id = ? AND state = 'ACTIVE'", [
      organization,
    ]);
    return String(row?.['binding_id']);
  }
}
