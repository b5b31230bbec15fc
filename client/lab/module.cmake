# The module lab.wasm: the integration laboratory for the lab page. It is a second module,
# because orrery.wasm shall not grow. client/web/core/CMakeLists.txt includes this file.
set(LAB_FOLDER ${PROJECT_SOURCE_DIR}/client/lab)
set(LAB_PAGE ${PROJECT_SOURCE_DIR}/client/lab/lab_page.cpp)
compile_wasm(LAB_OBJECTS ${LAB_FOLDER}/elliptic.cpp ${LAB_FOLDER}/exact.cpp
  ${LAB_FOLDER}/method.cpp ${LAB_FOLDER}/problem.cpp ${LAB_FOLDER}/rotation_run.cpp
  ${LAB_FOLDER}/run.cpp ${LAB_PAGE})
foreach(batch common/core/batch client/web/core/fault)
  list(APPEND LAB_OBJECTS ${CMAKE_BINARY_DIR}/batches/wasm/others/${batch}.cpp.o)
endforeach()

# Exports the functions of lab_page.cpp.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${LAB_PAGE})
file(STRINGS ${LAB_PAGE} lines REGEX "^LAB_PAGE ")
foreach(line ${lines} "orrery_fault(" "malloc(" "free(")
  string(REGEX MATCH "([a-z_]+)\\(" match "${line}")
  list(APPEND LAB_EXPORTS -Wl,--export=${CMAKE_MATCH_1})
endforeach()
set(LAB_MODULE ${CMAKE_BINARY_DIR}/lib/lab.wasm)
link_wasm(${LAB_MODULE} "${LAB_OBJECTS}" -mexec-model=reactor ${LAB_EXPORTS})
add_custom_target(lab_wasm ALL DEPENDS ${LAB_MODULE})
