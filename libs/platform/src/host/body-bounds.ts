/**
 * What a body may hold that is checked against a class: containers (objects and lists), members of all objects, items of all lists, levels, and
 * the characters of a member's name, which a fault repeats. The largest that any class takes is a membership of 2,000 bindings with a hundred references each. Bytes do not bound the check: it makes an object
 * and faults of every `{}` that somebody puts where a class stands, and a body of 8 MiB has 2.7 million of them.
 */
export const BODY_BOUNDS = { containers: 10_000, members: 30_000, items: 250_000, levels: 16, name: 128 } as const;

/** What is wrong with a body as a whole, before anything is made of it: it is no object, or holds more than any body may. */
export function unboundedIn(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'object' || Array.isArray(body)) return 'a body is an object';
  const held = { containers: 0, members: 0, items: 0, levels: 0 };
  for (let level: readonly object[] = [body]; level.length > 0; level = inside(level).filter(isContainer)) {
    held.levels += 1;
    held.containers += level.length;
    for (const one of level) {
      const names = Array.isArray(one) ? [] : Object.keys(one);
      held.members += names.length;
      held.items += Array.isArray(one) ? one.length : 0;
      if (names.some((name) => name.length > BODY_BOUNDS.name))
        return `a member of a body has a name of at most ${BODY_BOUNDS.name} characters`;
    }
    for (const what of ['levels', 'containers', 'members', 'items'] as const)
      if (held[what] > BODY_BOUNDS[what]) return `a body has at most ${BODY_BOUNDS[what]} ${what}`;
  }
  return undefined;
}

const inside = (level: readonly object[]): readonly unknown[] => level.flatMap((one): readonly unknown[] => Object.values(one));
const isContainer = (node: unknown): node is object => typeof node === 'object' && node !== null;

/** Where a body that was made of its class has null: in the class's own members at any depth. A member that is no class's is its owner's to judge. */
export function nullsIn(node: object, at: string): readonly string[] {
  return Object.entries(node).flatMap(([name, member]: [string, unknown]) => {
    const pointer = pointerTo(at, name);
    if (member === null) return [pointer];
    return isContainer(member) && Object.getPrototypeOf(member) !== Object.prototype ? nullsIn(member, pointer) : [];
  });
}

export function pointerTo(at: string, name: string): string {
  return `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
