import 'reflect-metadata';
import { catalog } from './catalog.service';
import { AppsController } from './apps.controller';
import { BarriersController } from './barriers.controller';
import { ConversionsController } from './conversion/conversions.controller';
import { BindingsController } from './installations/bindings.controller';
import { InstallationsController } from './installations/installations.controller';
import { LifecycleController } from './installations/lifecycle.controller';
import { PacksController } from './packs.controller';
import { PublishersController } from './publishers.controller';
import { ReleasesController } from './releases.controller';
import { ROLE, ROLES } from './roles';
import { ViewsController } from './views.controller';

const CONTROLLERS = [
  ...[AppsController, BarriersController, BindingsController, ConversionsController, InstallationsController, LifecycleController],
  ...[PacksController, PublishersController, ReleasesController, ViewsController],
];
const METHODS = ['GET', 'POST', 'PUT'];
const textOf = (key: string | symbol, target: object): string => String(Reflect.getMetadata(key, target) ?? '');

/** Every handler: its method and its path, and the role that it asks for. */
const handlers = CONTROLLERS.flatMap((controller) => {
  const { prototype } = controller as { readonly prototype: object };
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => prototype[name as keyof typeof prototype] as object)
    .filter((handler) => Reflect.hasMetadata('path', handler))
    .map((handler) => {
      const path = `${textOf('path', controller)}/${textOf('path', handler)}`.replace(/\/+$/, '').replace(/\/\//, '/');
      const guards = Reflect.getMetadata('__guards__', handler) as readonly unknown[] | undefined;
      return { at: `${METHODS[Number(textOf('method', handler))] ?? 'PUT'} ${path}`, role: textOf(ROLE, handler), guarded: guards?.length };
    });
});
const place = 'v1/orgs/:organization/app-installations';
const one = `${place}/:installation`;
const binding = `${one}/handler-bindings`;
const conversion = 'v1/orgs/:organization/legacy-conversion';
const holds = (barriers: string) => [`v1/${barriers}`, `v1/${barriers}/:attempt`, `v1/${barriers}/:attempt/release`];

describe('roles', () => {
  it('as catalog.md B.3 has them: what each role may ask, and nothing that no role is asked for', () => {
    const byRole = Object.fromEntries(
      Object.keys(ROLES).map((role) => [
        role,
        handlers
          .filter((handler) => handler.role === role)
          .map(({ at }) => at.replace(/^\w+ /, ''))
          .sort(),
      ]),
    );
    const wanted: Readonly<Record<keyof typeof ROLES, readonly string[]>> = {
      operator: [
        ...['v1/apps/:app/transfers/:transfer/accept', 'v1/apps/:app/recoveries', binding, `${binding}/:binding/activate`],
        ...[`${binding}/:binding/retire`, `${binding}/:binding/fail`, `${binding}/:binding/references`],
        ...[`${binding}/:binding/references/:reference/close`, `${binding}/:binding/retention`],
        ...[place, `${place}/plan`, `${one}/:verb`, `${one}/:verb/plan`],
        ...['v1/publishers/:publisher', 'v1/publishers/:publisher/keys', 'v1/publishers/:publisher/keys/:key/revoke'],
        ...['v1/app-releases/:app/sha256/:hex/block', `${one}/integration-bindings`],
        ...[
          conversion,
          `${conversion}/plan`,
          `${conversion}/deletion`,
          `${conversion}/deletion/plan`,
          `${conversion}/readers/:reader/retire`,
        ],
      ],
      publisher: ['v1/apps/:app/transfers', 'v1/blobs/sha256/:hex', 'v1/app-releases'],
      packOwner: ['v1/pack-generations'],
      reader: [
        ...['v1/apps/:app', 'v1/apps/:app/layout-slots/:slot', one, `${one}/journal`, 'v1/blobs/sha256/:hex'],
        ...['v1/app-releases/:app/sha256/:hex', 'v1/app-releases/:app/versions/:version', 'v1/pack-generations/:storage'],
        ...[conversion, `${conversion}/readers/:reader/projection`],
      ],
      connector: ['v1/binding-definitions/:kind/read-exact', `${one}/workloads/:workload/integration-binding-view`],
      connectorAlone: [
        'v1/generation-pins/:epoch',
        'v1/generation-pins/:epoch',
        ...holds('publication-barriers'),
        ...holds('pack-publication-barriers'),
      ],
    };
    expect(byRole).toEqual(Object.fromEntries(Object.entries(wanted).map(([role, paths]) => [role, [...paths].sort()])));
  });

  it('guarded: every handler asks for one role, and every token of a role is known to the service', () => {
    expect(handlers.filter(({ role, guarded }) => role === '' || guarded !== 1)).toEqual([]);
    expect(new Set(Object.values(ROLES).flat())).toEqual(new Set(catalog.callers));
  });

  it('least: who publishes, owns packs or reads may write nothing else', () => {
    const of = (caller: string) =>
      Object.entries(ROLES).flatMap(([role, callers]) => (callers.some((one) => one === caller) ? [role] : []));
    expect(['publisher', 'pack-owner', 'reader', 'cutover-coordinator'].map(of)).toEqual([
      ...[['publisher', 'reader'], ['packOwner', 'reader'], ['reader']],
      ['connector', 'connectorAlone'],
    ]);
  });
});
