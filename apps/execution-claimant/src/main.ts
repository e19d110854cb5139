import { main } from '@connector/platform/host/main';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';

main(executionClaimant);
