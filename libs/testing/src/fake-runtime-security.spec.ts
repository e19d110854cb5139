import { fakeRuntimeSecurity } from './fake-runtime-security';
import { runtimeSecurityConformance } from './runtime-security-conformance';

runtimeSecurityConformance('a fake in memory', (plan) => {
  const port = fakeRuntimeSecurity({ plan });
  return { port, moveOtherInputs: (organization) => port.moveOtherInputs(organization) };
});
