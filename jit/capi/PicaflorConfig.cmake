# find_package(Picaflor) gives the targets Picaflor::shared and Picaflor::static.
# target_link_libraries(emulator PRIVATE Picaflor::shared)
get_filename_component(_picaflor_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_picaflor_lib "${_picaflor_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}picaflor${CMAKE_SHARED_LIBRARY_SUFFIX}")

if(NOT TARGET Picaflor::shared)
    add_library(Picaflor::shared SHARED IMPORTED)
    set_target_properties(Picaflor::shared PROPERTIES
        IMPORTED_LOCATION "${_picaflor_lib}"
        INTERFACE_INCLUDE_DIRECTORIES "${_picaflor_prefix}/include")
endif()

if(NOT TARGET Picaflor::static)
    find_package(Threads REQUIRED)
    add_library(Picaflor::static STATIC IMPORTED)
    set_target_properties(Picaflor::static PROPERTIES
        IMPORTED_LOCATION "${_picaflor_prefix}/lib/libpicaflor.a"
        INTERFACE_INCLUDE_DIRECTORIES "${_picaflor_prefix}/include"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;m;${CMAKE_DL_LIBS}")
endif()
