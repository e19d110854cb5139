import { main } from '@connector/platform/host/main';
import { catalog } from '@connector/services/catalog/src/catalog.service';

main(catalog);
