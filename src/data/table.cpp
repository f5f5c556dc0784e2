#include "fairlane/data/table.hpp"
