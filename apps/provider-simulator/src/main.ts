import { main } from '@connector/platform/host/main';
import { providerSimulator } from '@connector/services/provider-simulator/src/definition';

main(providerSimulator);
