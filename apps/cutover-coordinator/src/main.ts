import { main } from '@connector/platform/host/main';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';

main(cutoverCoordinator);
