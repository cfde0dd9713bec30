# The two modules of the row openmp: libgomp with the code of g++, libomp with the code of clang, whichever compiler
# builds bb. Makes bb_openmp_modules, bb_openmp_defines, and bb_openmp_missing where neither can be.
set(bb_openmp_modules "")
set(bb_openmp_missing "")
set(bb_openmp_version "")
set(missing_libgomp "")
set(missing_libomp "")
set(bb_openmp_unused BB_OPENMP_VERSION=\"\" BB_MISSING_libgomp=\"\" BB_MISSING_libomp=\"\")

# Adds the module of one library, and its line in the version.
function(bb_openmp_module library compiler)
  bb_module(openmp ${library} COMPILER ${compiler} DEFINE ${bb_openmp_unused} ${ARGN})
  execute_process(COMMAND ${compiler} -dumpfullversion -dumpversion
                  OUTPUT_VARIABLE release OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(name ${compiler} NAME)
  set(bb_openmp_modules ${bb_openmp_modules} bb_module_openmp_${library} PARENT_SCOPE)
  set(bb_openmp_version "${bb_openmp_version}${library} by ${name} ${release}, " PARENT_SCOPE)
endfunction()

find_program(BB_GXX NAMES g++ g++-14 g++-13 g++-12)
if(BB_GXX)
  bb_openmp_module(libgomp ${BB_GXX} FLAGS -fopenmp LINK -fopenmp)
else()
  set(missing_libgomp "g++ was not found when bb was built: apt-get install g++, then build again")
endif()

# A clang and a libomp of one release, the newest first.
foreach(release 22 19 16 15 14)
  if(NOT BB_LIBOMP OR NOT BB_LIBOMP_CLANG)
    unset(BB_LIBOMP CACHE)
    unset(BB_LIBOMP_CLANG CACHE)
    find_library(BB_LIBOMP NAMES omp PATHS /usr/lib/llvm-${release}/lib NO_DEFAULT_PATH)
    find_program(BB_LIBOMP_CLANG NAMES clang++-${release})
  endif()
endforeach()
if(BB_LIBOMP AND BB_LIBOMP_CLANG)
  get_filename_component(folder ${BB_LIBOMP} DIRECTORY)
  bb_openmp_module(libomp ${BB_LIBOMP_CLANG} FLAGS -fopenmp=libomp LINK ${BB_LIBOMP} -Wl,-rpath,${folder})
else()
  string(CONCAT missing_libomp "clang and libomp of one release were not found when bb was built: "
    "apt-get install clang-19 libomp-19-dev, then build again")
endif()

if(NOT bb_openmp_modules)
  set(bb_openmp_missing "neither g++ nor clang with libomp was found")
endif()
set(bb_openmp_defines BB_OPENMP_VERSION="${bb_openmp_version}KMP_BLOCKTIME=0, GOMP_SPINCOUNT=10000"
  BB_MISSING_libgomp="${missing_libgomp}" BB_MISSING_libomp="${missing_libomp}")
