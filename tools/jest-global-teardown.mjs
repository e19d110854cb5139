/** Stops the engine that `jest-global-setup.mjs` opened, unless another run uses it too. */
export default async function () {
  if (globalThis.connectorTestEngine === undefined) return;
  const { closeTestEngine } = await import('./engine.mjs');
  await closeTestEngine(globalThis.connectorTestEngine);
}
